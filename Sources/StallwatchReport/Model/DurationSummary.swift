import StallwatchCore
import StallwatchStore

/// Durations of one kind in a few figures. Count, total and maximum are exact; percentiles are those of the merged
/// histogram, whose resolution is that of `HistogramLayout` (better than 0.8 % above 65 µs, 256 ns below).
public struct DurationSummary: Sendable, Equatable {
  /// How many.
  public var count: UInt64
  /// Their exact sum.
  public var total: Nanoseconds
  /// The median; nil when there are none. So the others.
  public var p50: Nanoseconds?
  /// 90 in 100 are not longer.
  public var p90: Nanoseconds?
  /// 99 in 100 are not longer.
  public var p99: Nanoseconds?
  /// 999 in 1,000 are not longer.
  public var p999: Nanoseconds?
  /// The longest, exact.
  public var maximum: Nanoseconds?

  /// No durations.
  public init() { (count, total) = (0, 0) }

  /// The summary of `metric`. A percentile is never more than the exact maximum, although a counter's upper bound can
  /// be.
  public init(_ metric: StoredMetric) {
    (count, total) = (metric.count, metric.total)
    guard metric.count > 0 else { return }
    let percentile = { (percent: Double) in min(metric.histogram.value(atPercentile: percent), metric.maximum) }
    p50 = percentile(50)
    p90 = percentile(90)
    p99 = percentile(99)
    p999 = percentile(99.9)
    maximum = metric.maximum
  }

  /// The summary of all `metrics` together.
  public init(merging metrics: [StoredMetric]) {
    if let merged = StoredMetric(merging: metrics) { self.init(merged) } else { self.init() }
  }
}
