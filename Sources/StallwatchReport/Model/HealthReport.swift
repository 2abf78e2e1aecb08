import StallwatchCore
import StallwatchStore

/// What the monitors cost and what they could not see, over all sessions.
public struct HealthReport: Sendable {
  /// Records that did not fit, by buffer, and looks at threads that brought no stack (`looks`).
  public var losses: [String: UInt64] = [:]
  /// Summed blind intervals; nil without a session. So the others, over the sessions of which they are known.
  public var blind: Nanoseconds?
  /// Summed excluded intervals.
  public var excluded: Nanoseconds?
  /// Time in our observers on watched threads, estimated by the probe.
  public var observerTotal: Nanoseconds?
  /// CPU time of the monitors' own threads.
  public var monitorCPU: Nanoseconds?
  /// How late the watchdogs' timed sleeps ended; nil where none is known.
  public var watchdogLateness: DurationSummary?
  /// How many times the watchdogs woke up.
  public var wakeups: UInt64?
  /// How many wake-ups the drift probe caused.
  public var driftWakeups: UInt64?
  /// Excluded and blind intervals by kind and reason, longest sum first.
  public var intervals: [IntervalTotal] = []
  /// Each session's part.
  public var sessions: [SessionHealth] = []

  /// All records that did not fit. Looks that brought no stack are no records.
  public var lossCount: UInt64 { losses.filter { $0.key != Self.looks }.values.saturatingSum() }
  /// Looks at held or busy threads that brought no stack.
  public var emptyLooks: UInt64 { losses[Self.looks] ?? 0 }
  /// What such looks are counted under.
  static let looks = "looks"
}

/// One session's part of the health.
public struct SessionHealth: Sendable {
  /// The session's row.
  public var session: Int64
  /// Records that did not fit, by buffer.
  public var losses: [String: UInt64]
  /// Summed blind intervals.
  public var blind: Nanoseconds
  /// Summed excluded intervals.
  public var excluded: Nanoseconds
  /// Time in our observers on watched threads, an estimate; nil before its first sample, and where the process died
  /// before its monitor told. So the others.
  public var observerTotal: Nanoseconds?
  /// CPU time of the monitor's own threads.
  public var monitorCPU: Nanoseconds?
  /// How late the watchdog's timed sleeps ended.
  public var watchdogLateness: DurationSummary?
  /// How many times the watchdog woke up.
  public var wakeups: UInt64?
  /// How many wake-ups the drift probe caused.
  public var driftWakeups: UInt64?
  /// What kept the store's writer from its work, in words; nil when nothing did.
  public var trouble: String?
  /// Why running threads were not interrupted for a look at their stack, in words; nil when they were, or none was to be
  /// looked at.
  public var signalObstacle: String?
}

/// Intervals of one kind and reason, added up.
public struct IntervalTotal: Sendable, Equatable {
  /// Excluded or blind.
  public var kind: IntervalRecord.Kind
  /// The probe's word for it.
  public var reason: String
  /// How many.
  public var count: Int
  /// Their summed duration.
  public var total: Nanoseconds
  /// The longest.
  public var longest: Nanoseconds
}
