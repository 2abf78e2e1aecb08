import StallwatchCore
import StallwatchStore

/// What one side of a comparison saw, over all its stores and sessions.
struct ComparedSide {
  /// A stall, and the store that it is in.
  struct Place: Sendable {
    var store: String
    var stall: Int64
  }

  /// The stalls of one cause.
  struct Cause {
    var signature: Signature
    var count = 0
    var total: Nanoseconds = 0
    var worst: (place: Place, duration: Nanoseconds)
    /// Durations, or as many of them as are kept, picked evenly.
    var durations: [Nanoseconds] = []
    /// How many fell into each slice of time that had any.
    var slices: [Int: Int] = [:]
  }

  /// A mode of loops with that name.
  struct ModeKey: Hashable {
    var loop: String
    var mode: String
  }

  /// Timers of loops with that name.
  struct TimerKey: Hashable {
    var loop: String
    var timer: String
  }

  /// Timers' due times, and their lateness.
  struct Timers {
    var due: UInt64 = 0
    var dropped: UInt64 = 0
    var lateness: StoredMetric?
  }

  var stores: [String] = []
  var sessions = 0
  /// Time in which loops were watched, of all loops together, in seconds.
  var loopSeconds = 0.0
  /// Iterations of all loops.
  var iterations: UInt64 = 0
  /// Slices of time into which the sessions were cut, to see whether stalls come in clumps.
  var sliceCount = 0
  var stalls = StallCounts()
  var causes: [String: Cause] = [:]
  var modes: [ModeKey: StoredMetric] = [:]
  var timers: [TimerKey: Timers] = [:]

  /// Slices that a session is cut into.
  static let slicesPerSession = 16
}
