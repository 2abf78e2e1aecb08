import StallwatchCore
import StallwatchStore

/// Whether a percentile has moved: if it has not, as large a share of the one side lies below the other's percentile
/// (Mathisen, "A method of testing the hypothesis that two samples are from the same population", Annals of Mathematical
/// Statistics 14, 1943, for any percentile instead of the median).
enum QuantileTest {
  /// Iterations that follow each other are alike: so many of them weigh as one. A choice, on the safe side: with it 200
  /// pairs of scripted recordings whose durations stay for ten iterations gave no false finding (`ComparisonTests`).
  static let clump = 20.0
  /// Samples beyond the percentile, on each side, below which nothing is said.
  static let leastBeyond = 5.0

  /// How likely the sides are to differ so much by chance; nil where there are too few samples beyond the percentile.
  static func chance(_ share: Double, _ first: StoredMetric, _ second: StoredMetric) -> Double? {
    let (m, n) = (Double(first.count) / clump, Double(second.count) / clump)
    guard min(m, n) * min(share, 1 - share) >= leastBeyond else { return nil }
    let chances = [(first, second), (second, first)].map { one, other in
      let value = one.histogram.value(atPercentile: share * 100)
      let below = Self.share(of: other, upTo: value)
      return Normal.twoSided((below - share) / (share * (1 - share) * (1 / m + 1 / n)).squareRoot())
    }
    // Either side may be the one that is measured by; both have to say so.
    return chances.max()
  }

  /// The share of the samples that are not longer than `value`.
  private static func share(of metric: StoredMetric, upTo value: Nanoseconds) -> Double {
    let end = HistogramLayout.index(of: min(value, metric.maximum))
    let count = metric.histogram.buckets.lazy.filter { $0.index <= end }.map(\.count).saturatingSum()
    return Double(count) / Double(max(metric.count, 1))
  }
}
