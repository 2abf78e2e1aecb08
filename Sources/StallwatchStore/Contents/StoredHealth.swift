import StallwatchCore

/// What one session's monitor cost, and what it could not see.
package struct StoredHealth: Sendable {
  /// Time spent in our observers on watched threads.
  package var observerTotal: Nanoseconds
  /// CPU time of the monitor's own threads.
  package var monitorCPU: Nanoseconds
  /// How many times the watchdog woke up.
  package var wakeups: UInt64
  /// How late the watchdog's timed sleeps ended; nil where unknown.
  package var watchdogLateness: StoredMetric?
  /// How many records did not fit, by the buffer's name: see ``LossRecord/what``.
  package var losses: [String: UInt64]
  /// Excluded and blind intervals, in order of their start.
  package var intervals: [IntervalRecord]
  /// What kept the store's writer from its work (such as a full disk), in words; nil when nothing did.
  package var trouble: String?
  /// Why the monitor did not interrupt running threads to read their stacks, in words; nil when it did, or when it had
  /// none to look at.
  package var signalObstacle: String?
  /// How many wake-ups the drift probe caused; nil where unknown.
  package var driftWakeups: UInt64?

  /// Sets every property as given; checks nothing.
  package init(
    observerTotal: Nanoseconds, monitorCPU: Nanoseconds, wakeups: UInt64, watchdogLateness: StoredMetric?,
    losses: [String: UInt64], intervals: [IntervalRecord], trouble: String? = nil,
    signalObstacle: String? = nil, driftWakeups: UInt64? = nil
  ) {
    self.observerTotal = observerTotal
    self.monitorCPU = monitorCPU
    self.wakeups = wakeups
    self.watchdogLateness = watchdogLateness
    self.losses = losses
    self.intervals = intervals
    self.trouble = trouble
    self.signalObstacle = signalObstacle
    self.driftWakeups = driftWakeups
  }
}
