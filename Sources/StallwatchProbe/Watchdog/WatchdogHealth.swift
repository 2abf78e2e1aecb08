import StallwatchCore

/// What watching costs, and how late the watchdog itself is. Used on the watchdog's thread only.
struct WatchdogHealth {
  /// How often the thread woke up.
  private var wakeups: UInt64 = 0
  /// Observer time of loops whose threads have ended.
  private var endedObserverTotal: Nanoseconds = 0
  /// What the recorder cost, as last noted.
  private(set) var recorder = RecorderCost()
  /// The CPU time of the watchdog's thread at the last record.
  private(set) var ownCPU: Nanoseconds = 0
  /// How late the thread's own timed sleeps ended, since the last record and overall.
  private var counts: [Int: UInt32] = [:]
  private var total: Nanoseconds = 0
  private var maximum: Nanoseconds = 0

  /// Notes that the thread woke up.
  mutating func noteWakeup() { wakeups += 1 }

  /// Notes how late a timed sleep ended.
  mutating func noteLateness(_ lateness: Nanoseconds) {
    counts[HistogramLayout.index(of: lateness), default: 0] &+= 1
    total = total.saturatingAdd(lateness)
    maximum = max(maximum, lateness)
  }

  /// Notes what the recorder cost so far.
  mutating func note(_ cost: RecorderCost) { recorder = cost }

  /// Keeps the observer time of a loop that has ended.
  mutating func noteEnd(of watched: WatchedLoop) {
    endedObserverTotal = endedObserverTotal.saturatingAdd(watched.memory.region.observerTotal)
  }

  /// The record of now; `withLateness`: with the growth of the lateness, too.
  mutating func record(
    of loops: [WatchedLoop], at now: Nanoseconds, withLateness: Bool, driftWakeups: UInt64, signalObstacle: String?
  ) -> HealthRecord {
    ownCPU = Platform.threadCPU()
    return HealthRecord(
      atNs: now, observerTotal: loops.reduce(endedObserverTotal) { $0.saturatingAdd($1.memory.region.observerTotal) },
      monitorCPU: ownCPU.saturatingAdd(recorder.cpu), wakeups: wakeups, driftWakeups: driftWakeups,
      watchdogLateness: withLateness ? latenessGrowth() : nil, signalObstacle: signalObstacle)
  }

  /// The growth since the last call; nil when there is none.
  private mutating func latenessGrowth() -> MetricDelta? {
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
