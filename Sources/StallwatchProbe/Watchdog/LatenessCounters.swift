import StallwatchCore

/// How late the watchdog's own timed sleeps ended, since the last flush and overall. Watchdog's thread only.
struct LatenessCounters {
  private var counts: [Int: UInt32] = [:]
  private var total: Nanoseconds = 0
  private var maximum: Nanoseconds = 0

  mutating func add(_ lateness: Nanoseconds) {
    counts[HistogramLayout.index(of: lateness), default: 0] &+= 1
    total = total.saturatingAdd(lateness)
    maximum = max(maximum, lateness)
  }

  /// The growth since the last call; nil when there is none.
  mutating func delta() -> MetricDelta? {
    guard !counts.isEmpty else { return nil }
    defer {
      counts.removeAll(keepingCapacity: true)
      total = 0
    }
    // Kept as a span, because records have no metric of their own for the monitor's lateness.
    return MetricDelta(
      metric: .span, count: counts.values.reduce(0) { $0 + UInt64($1) }, total: total, maximum: maximum,
      buckets: counts.sorted { $0.key < $1.key }.map { (index: $0.key, count: $0.value) })
  }
}
