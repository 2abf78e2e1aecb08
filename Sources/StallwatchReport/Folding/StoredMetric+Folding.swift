import StallwatchCore
import StallwatchStore

extension StoredMetric {
  /// All `metrics` merged; nil when there are none. Their histograms share the layout `HistogramLayout`.
  package init?(merging metrics: [StoredMetric]) {
    guard var merged = metrics.first else { return nil }
    for metric in metrics.dropFirst() {
      merged.count = merged.count.saturatingAdd(metric.count)
      merged.total = merged.total.saturatingAdd(metric.total)
      merged.maximum = max(merged.maximum, metric.maximum)
      merged.histogram.add(metric.histogram)
    }
    self = merged
  }

  /// Sums `value` over all samples in the counter of `shortest` and in later ones. Each sample counts with the middle
  /// of its counter, but never with more than the exact maximum.
  package func sum(from shortest: Nanoseconds, _ value: (_ sample: Nanoseconds) -> Nanoseconds) -> Nanoseconds {
    guard count > 0, maximum >= shortest else { return 0 }
    let counters = HistogramLayout.index(of: shortest)...HistogramLayout.index(of: maximum)
    return histogram.buckets.filter { counters.contains($0.index) }.map { bucket in
      value(min(HistogramLayout.middleDuration(at: bucket.index), maximum)).saturatingMultiply(by: bucket.count)
    }.saturatingSum()
  }
}
