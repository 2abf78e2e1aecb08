import StallwatchCore
import StallwatchStore

/// Counts durations that may be negative, in `HistogramLayout` counters on both sides of 0. Percentiles are within 1 %
/// or 256 ns; the counters take a few hundred bytes.
struct SignedHistogram {
  private var below = DurationHistogram()
  private var above = DurationHistogram()
  private(set) var total: Nanoseconds = 0
  private var most = Int64.min

  /// An empty histogram.
  init() {}

  /// A metric's samples.
  init(_ metric: StoredMetric) {
    (above, total) = (metric.histogram, metric.total)
    if metric.count > 0 { most = Int64(clamping: metric.maximum) }
  }

  /// The values of a metric that may be negative.
  init(_ metric: SignedMetric) {
    (below, above, total) = (metric.below, metric.above, metric.total)
    most = metric.maximum ?? most
  }

  var count: UInt64 { below.totalCount.saturatingAdd(above.totalCount) }

  mutating func add(_ value: Int64) {
    if value < 0 { below.record(value.magnitude) } else { above.record(value.magnitude) }
    if value > 0 { total = total.saturatingAdd(UInt64(value)) }
    most = max(most, value)
  }

  mutating func merge(_ other: SignedHistogram) {
    below.add(other.below)
    above.add(other.above)
    total = total.saturatingAdd(other.total)
    most = max(most, other.most)
  }

  /// The percentile `share` (0…1): the middle of its counter, at most the exact maximum; nil without values.
  func value(at share: Double) -> Int64? {
    guard count > 0 else { return nil }
    var rest = max(1, UInt64((Double(count) * share).rounded(.up)))
    for bucket in below.buckets.reversed() {
      if rest <= bucket.count { return -Int64(HistogramLayout.middleDuration(at: bucket.index)) }
      rest -= bucket.count
    }
    for bucket in above.buckets {
      if rest <= bucket.count { return min(Int64(HistogramLayout.middleDuration(at: bucket.index)), most) }
      rest -= bucket.count
    }
    return most
  }

  /// The value at `quantile`, as ``value(at:)`` has it; the maximum is exact. Only for a histogram with values.
  private func value(at quantile: Quantile) -> Int64 {
    quantile == .maximum ? most : value(at: quantile.share) ?? most
  }

  var summary: SignedSummary {
    count > 0 ? SignedSummary(count: count, total: total, value) : SignedSummary()
  }

  /// The summary as durations, for values that are never negative.
  var durations: DurationSummary { summary.map { Nanoseconds(max($0, 0)) } }
}
