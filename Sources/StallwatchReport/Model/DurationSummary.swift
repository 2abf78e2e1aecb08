import StallwatchCore
import StallwatchStore

/// A summary of durations of one kind. Count, total and maximum are exact; percentiles come from the merged histogram,
/// with the resolution of `HistogramLayout` (better than 0.8 % above 65 µs, 256 ns below).
package struct DurationSummary: Sendable, Equatable {
  /// The number of durations.
  package var count: UInt64
  /// Their exact sum, in nanoseconds.
  package var total: Nanoseconds
  /// The median; nil without durations, as are all figures below.
  package var p50: Nanoseconds?
  /// The 90th percentile.
  package var p90: Nanoseconds?
  /// The 99th percentile.
  package var p99: Nanoseconds?
  /// The 99.9th percentile.
  package var p999: Nanoseconds?
  /// The longest, exact.
  package var maximum: Nanoseconds?

  /// A summary without durations.
  package init() { (count, total) = (0, 0) }

  /// The summary of `metric`. Percentiles are capped at the exact maximum, which a counter's upper bound can exceed.
  package init(_ metric: StoredMetric) {
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
  package init(merging metrics: [StoredMetric]) {
    if let merged = StoredMetric(merging: metrics) { self.init(merged) } else { self.init() }
  }
}
