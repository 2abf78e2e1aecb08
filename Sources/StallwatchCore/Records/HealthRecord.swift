/// What the monitor itself cost and how well it kept time, from the session's start until now.
public struct HealthRecord: Sendable {
  /// When it was read. Also the sign that the process was alive: a death is later than this by one flush at most.
  public var atNs: Nanoseconds
  /// Time spent in our observers on watched threads, estimated from a sample of their calls; 0 before the first sample.
  public var observerTotal: Nanoseconds
  /// CPU time of the monitor's own threads.
  public var monitorCPU: Nanoseconds
  /// How many times the watchdog woke up.
  public var wakeups: UInt64
  /// How many wake-ups the drift probe caused: of loops that waited, of the watchdog for a tick, and of the control.
  public var driftWakeups: UInt64
  /// How late the watchdog's timed sleeps ended, as counters of ``HistogramLayout``: the growth since the last record.
  /// Its metric means nothing.
  public var watchdogLateness: MetricDelta?
  /// Why running threads are not interrupted for a look at their stack, in words that complete "because …"; nil while
  /// they may be, or while none was to be looked at.
  public var signalObstacle: String?

  /// The monitor's health.
  public init(
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
