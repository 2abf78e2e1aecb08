import StallwatchCore

/// What one session's monitor cost, and what it could not see.
public struct StoredHealth: Sendable {
  /// Time spent in our observers on watched threads.
  public var observerTotal: Nanoseconds
  /// CPU time of the monitor's own threads.
  public var monitorCPU: Nanoseconds
  /// How many times the watchdog woke up.
  public var wakeups: UInt64
  /// How late the watchdog's timed sleeps ended; nil where none is known.
  public var watchdogLateness: StoredMetric?
  /// Records that did not fit, by buffer.
  public var losses: [String: UInt64]
  /// Excluded and blind intervals, in the order of their start.
  public var intervals: [IntervalRecord]
  /// What kept the store's writer from its work (a full disk, say), in words; nil when nothing did.
  public var trouble: String?
  /// Why running threads were not interrupted for a look at their stack, in words; nil when they were, or none was to be
  /// looked at.
  public var signalObstacle: String?
  /// How often the drift probe woke a loop; nil where it is not known.
  public var driftWakeups: UInt64?

  /// A session's health.
  public init(
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
