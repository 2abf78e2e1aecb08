import StallwatchLibc
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

  /// The ratio of sums over instances; nil where the whole is 0.
  ///
  /// - Parameters:
  ///   - count: The instances whose whole is not 0.
  ///   - squares: The sum over them of (part − ratio × whole)².
  package init?(part: Double, whole: Double, count: Int, squares: Double) {
    guard whole > 0 else { return nil }
    let ratio = part / whole
    value = Self.rounded(ratio)
    guard count >= Self.fewest else { return }
    let error = (Double(count) / Double(count - 1) * squares).squareRoot() / whole
    let margin = error * Normal.interval(degrees: Double(count - 1))
    (low, high) = (Self.rounded(max(ratio - margin, 0)), Self.rounded(ratio + margin))
  }

  /// The ratio of the sums of `part` and `whole` over instances; nil where the whole is 0.
  package init?(_ instances: [(part: Double, whole: Double)]) {
    let instances = instances.filter { $0.whole > 0 }
    let (part, whole) = instances.reduce(into: (0.0, 0.0)) {
      $0.0 += $1.part
      $0.1 += $1.whole
    }
    let ratio = part / whole
    let squares = instances.map { $0.part - ratio * $0.whole }.reduce(0) { $0 + $1 * $1 }
    self.init(part: part, whole: whole, count: instances.count, squares: squares)
  }

  /// To nine digits: the order in which fractions are added up, and with it the last digits, differs between sources.
  private static func rounded(_ number: Double) -> Double {
    guard number > 0, number.isFinite else { return number }
    let place = pow(10, 8 - floor(log10(number)))
    return place.isFinite && place > 0 ? (number * place).rounded() / place : number
  }
}
