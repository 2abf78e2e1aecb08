import StallwatchReport

/// A ratio of two sums over instances, such as seconds of hangs per hour of use, with its 95 % interval.
///
/// The instance is the unit: what happens on one has much in common. The interval is the ratio estimator's (Cochran,
/// "Sampling Techniques", 1977, 6.4): of n instances with the parts h and w and the ratio R = Σh ÷ Σw, the standard error is
/// √(n ÷ (n − 1) · Σ(h − R w)²) ÷ Σw, and the half width as many of them as Student's distribution with n − 1 degrees asks.
package struct RatioEstimate: Sendable, Equatable {
  package var value: Double
  /// Nil for fewer than ``fewest`` instances, of which nobody can tell how much instances differ.
  package var low: Double?
  package var high: Double?

  /// The fewest instances that have an interval.
  package static let fewest = 4

  /// The ratio of the sums of `part` and `whole` over instances; nil where the whole is 0.
  package init?(_ instances: [(part: Double, whole: Double)]) {
    let instances = instances.filter { $0.whole > 0 }
    let (parts, wholes) = instances.reduce(into: (0.0, 0.0)) {
      $0.0 += $1.part; $0.1 += $1.whole
    }
    guard wholes > 0 else { return nil }
    value = parts / wholes
    guard instances.count >= Self.fewest else { return }
    let rests = instances.map { $0.part - value * $0.whole }
    let (count, squares) = (Double(instances.count), rests.reduce(0) { $0 + $1 * $1 })
    let error = (count / (count - 1) * squares).squareRoot() / wholes
    let margin = error * Normal.interval(degrees: count - 1)
    (low, high) = (max(value - margin, 0), value + margin)
  }
}
