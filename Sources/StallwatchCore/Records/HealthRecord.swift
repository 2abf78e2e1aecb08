/// What the monitor itself cost and how punctual it was, from the session's start until now.
package struct HealthRecord: Sendable {
  /// When the monitor read them, on the monotonic clock. A process dies at most one flush after its last such record.
  package var atNs: Nanoseconds
  /// Time spent in our observers on watched threads, estimated from a sample of their calls; 0 before the first sample.
  package var observerTotal: Nanoseconds
  /// CPU time of the monitor's own threads.
  package var monitorCPU: Nanoseconds
  /// How many times the watchdog woke up.
  package var wakeups: UInt64
  /// How many wake-ups the drift probe caused: of waiting loops, of the watchdog for a tick, and of the control.
  package var driftWakeups: UInt64
  /// How late the watchdog's timed sleeps ended: the growth since the last record, as counters of ``HistogramLayout``.
  /// Ignore its metric.
  package var watchdogLateness: MetricDelta?
  /// Why the monitor does not interrupt running threads to read their stacks, in words that complete "because …"; nil
  /// while it may, or while it had none to look at.
  package var signalObstacle: String?

  /// Sets every property as given; checks nothing.
  package init(
    atNs: Nanoseconds, observerTotal: Nanoseconds, monitorCPU: Nanoseconds, wakeups: UInt64,
    driftWakeups: UInt64 = 0, watchdogLateness: MetricDelta? = nil, signalObstacle: String? = nil
  ) {
    self.atNs = atNs
    self.observerTotal = observerTotal
    self.monitorCPU = monitorCPU
    self.wakeups = wakeups
    self.driftWakeups = driftWakeups
    self.watchdogLateness = watchdogLateness
    self.signalObstacle = signalObstacle
  }
}
