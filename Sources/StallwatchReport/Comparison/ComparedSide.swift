import StallwatchCore
import StallwatchStore

/// The figures of one side of a comparison, pooled over all its stores and sessions.
struct ComparedSide {
  /// A stall's row and the store that holds it.
  struct Place: Sendable {
    var store: String
    var stall: Int64
  }

  /// The stalls of one signature.
  struct Cause {
    var signature: Signature
    var count = 0
    var total: Nanoseconds = 0
    var worst: (place: Place, duration: Nanoseconds)
    /// Their durations, or a random sample of them where there are more than the comparison keeps.
    var durations: [Nanoseconds] = []
    /// Stalls by slice of time; slices without stalls have no entry.
    var slices: [Int: Int] = [:]
  }

  /// A mode, by its name and the name of its loops. Lanes of other kinds have one alone, which needs no name: nil.
  struct ModeKey: Hashable {
    var loop: String
    var mode: String?
  }

  /// Timers, by their name and the name of their loops.
  struct TimerKey: Hashable {
    var loop: String
    var timer: String
  }

  /// The compared measures of a mode or of timers, by key.
  typealias Tallies = [String: Tally]

  var stores: [String] = []
  var sessions = 0
  /// Watched time of all loops together, in seconds.
  var loopSeconds = 0.0
  /// Iterations of all loops.
  var iterations: UInt64 = 0
  /// The number of time slices of all sessions. Stalls per slice show whether stalls come in clumps.
  var sliceCount = 0
  var stalls = StallCounts()
  var causes: [String: Cause] = [:]
  var modes: [ModeKey: Tallies] = [:]
  var timers: [TimerKey: Tallies] = [:]

  /// The number of slices per session.
  static let slicesPerSession = 16
}
