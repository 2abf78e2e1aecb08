import StallwatchCore
import StallwatchStore

/// What is the same in every copy of a session, and differs between sessions.
struct OriginalSession: Hashable {
  private let process: ProcessIdentity
  private let startedNs: Nanoseconds
  private let lastSeenNs: Nanoseconds

  init(_ session: StoredSession) {
    (process, startedNs, lastSeenNs) = (session.record.process, session.record.startedNs, session.lastSeenNs)
  }
}

/// The figures of one session, the unit of a comparison.
package struct ComparedSession {
  /// A mode, by its name and the name of its loops. Lanes of other kinds have one alone, which needs no name: nil.
  package struct ModeKey: Hashable {
    package var loop: String
    package var mode: String?

    /// Sets every property as given.
    package init(loop: String, mode: String?) { (self.loop, self.mode) = (loop, mode) }
  }

  /// Timers, by their name and the name of their loops.
  struct TimerKey: Hashable {
    var loop: String
    var timer: String
  }

  /// The compared measures of a mode or of timers, by key.
  package typealias Tallies = [String: Tally]

  /// Its labels; nil where a unit of a fleet stands for it.
  package var labels: CommonLabels?
  /// How long it lasted.
  var duration: Nanoseconds
  /// The length from which a span was a stall.
  var threshold: Nanoseconds
  /// Watched time of all loops together, in seconds.
  package var seconds = 0.0
  /// Iterations of all loops.
  package var iterations: UInt64 = 0
  /// How many of its stalls count in the hang rate; nil where nobody asks.
  package var hangs: UInt64?
  /// Its stalls by the key of their cause's signature.
  package var causes: [String: SessionCause] = [:]
  package var modes: [ModeKey: Tallies] = [:]
  var timers: [TimerKey: Tallies] = [:]
  /// How many successive spans of a mode weigh as one (``SpanClumps``).
  var clumps: [ModeKey: Double] = [:]
  /// The same for timers, whose drops come in rows.
  var dropClump = 1.0

  /// A session that has seen nothing yet.
  package init(duration: Nanoseconds, threshold: Nanoseconds) {
    self.duration = max(duration, 1)
    self.threshold = threshold
  }

  /// Takes in a stall that began so long after the session did.
  package mutating func addStall(cause key: String, at offset: Nanoseconds, duration length: Nanoseconds) {
    let slices = SessionCause.slices
    // A damaged store may say that it began long after the session ended.
    let part = min(Double(offset) / Double(max(duration, 1)), 1)
    let slice = min(Int(part * Double(slices)), slices - 1)
    causes[key, default: SessionCause()].add(length, at: offset, slice: slice, within: duration)
  }
}
