import StallwatchCore
import StallwatchStore

/// What monitors cost and what they could not see, in one session or in all. nil means unknown: where the process died
/// before its monitor reported.
package struct HealthFigures: Sendable {
  /// The time for which the process was watched.
  package var watched: Nanoseconds = 0
  /// Losses by buffer, and under ``looks`` the looks at threads that yielded no stack.
  package var losses: [String: UInt64] = [:]
  /// Total blind time.
  package var blind: Nanoseconds?
  /// Total excluded time.
  package var excluded: Nanoseconds?
  /// Time in the monitor's observers on watched threads, estimated by the probe; nil before its first sample.
  package var observerTotal: Nanoseconds?
  /// CPU time of the monitor's own threads.
  package var monitorCPU: Nanoseconds?
  /// How late the watchdog's timed sleeps ended.
  package var watchdogLateness: DurationSummary?
  /// The number of watchdog wake-ups.
  package var wakeups: UInt64?
  /// The number of wake-ups that the drift probe caused.
  package var driftWakeups: UInt64?

  /// All losses. A look that yielded no stack is not a loss.
  package var lossCount: UInt64 { Self.lossCount(losses) }
  /// Looks at held or busy threads that yielded no stack.
  package var emptyLooks: UInt64 { losses[Self.looks] ?? 0 }
  /// The key of such looks in ``losses``.
  package static let looks = "looks"

  /// The number of losses among those of a store.
  static func lossCount(_ losses: [String: UInt64]) -> UInt64 {
    losses.filter { $0.key != looks }.values.saturatingSum()
  }

  /// The part of the watched time that `time` is, 0…1; nil for unknown.
  package func share(_ time: Nanoseconds?) -> Double? { watched > 0 ? time.map { Double($0) / Double(watched) } : nil }
}

/// The health of all sessions.
package struct HealthReport: Sendable {
  /// The sums over the sessions that know a figure.
  package var figures = HealthFigures()
  /// Excluded and blind intervals by kind and reason, the longest sum first.
  package var intervals: [IntervalTotal] = []
  /// The health of each session.
  package var sessions: [SessionHealth] = []
  /// What was removed to keep to the store's limits.
  package var removed: [RemovedRows] = []
}

/// What was removed from a session, or whole sessions, to keep to the store's limits of age and size.
package struct RemovedRows: Sendable, Equatable {
  /// The session's row; nil for whole sessions.
  package var session: Int64?
  package var what: Removed.What
  /// The limit that asked for it.
  package var reason: Removed.Reason
  /// How many rows.
  package var count: Int64
  /// It was about the time before this, in nanoseconds since 1970-01-01 UTC; nil where no such moment is known.
  package var until: Nanoseconds?
}

/// The health of one session.
package struct SessionHealth: Sendable {
  /// The session's row.
  package var session: Int64
  package var figures: HealthFigures
  /// What kept the store's writer from writing, in words; nil where nothing did.
  package var trouble: String?
  /// Why the monitor did not interrupt running threads to read their stacks, in words; nil where it did, or where there
  /// was none to read.
  package var signalObstacle: String?
}

/// The intervals of one kind and reason, summed.
package struct IntervalTotal: Sendable, Equatable {
  /// Excluded or blind.
  package var kind: IntervalRecord.Kind
  /// The probe's word for the reason.
  package var reason: String
  /// The number of intervals.
  package var count: Int
  /// The sum of their durations.
  package var total: Nanoseconds
  /// The longest duration.
  package var longest: Nanoseconds
}
