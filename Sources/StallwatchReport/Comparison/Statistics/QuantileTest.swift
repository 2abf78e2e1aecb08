import StallwatchCore
import StallwatchStore

/// Tests whether a percentile moved. If it did not, the same share of either side lies below the other's percentile
/// (Mathisen, "A method of testing the hypothesis that two samples are from the same population", Annals of
/// Mathematical Statistics 14, 1943, here for any percentile instead of the median).
enum QuantileTest {
  /// How many samples weigh as one, because successive iterations are alike. The value is a choice on the safe side:
  /// with it, 200 pairs of scripted recordings whose durations stay the same for ten iterations gave no false finding
  /// (`ComparisonTests`).
  static let clump = 20.0
  /// The fewest samples beyond the percentile, on each side, that the test needs, after division by ``clump``.
  static let leastBeyond = 5.0

  /// The probability that the sides differ this much by chance; nil where too few samples lie beyond the percentile.
  static func chance(_ share: Double, _ first: StoredMetric, _ second: StoredMetric) -> Double? {
    let (m, n) = (Double(first.count) / clump, Double(second.count) / clump)
    guard min(m, n) * min(share, 1 - share) >= leastBeyond else { return nil }
    let chances = [(first, second), (second, first)].map { one, other in
      let value = one.histogram.value(atPercentile: share * 100)
      let below = Self.share(of: other, upTo: value)
      return Normal.twoSided((below - share) / (share * (1 - share) * (1 / m + 1 / n)).squareRoot())
    }
    // Test each side against the other's percentile; a change must show both ways.
    return chances.max()
  }

  /// The share of samples not longer than `value`.
  private static func share(of metric: StoredMetric, upTo value: Nanoseconds) -> Double {
    let end = HistogramLayout.index(of: min(value, metric.maximum))
    let count = metric.histogram.buckets.lazy.filter { $0.index <= end }.map(\.count).saturatingSum()
    return Double(count) / Double(max(metric.count, 1))
  }
}
