import StallwatchCore

/// One session's loops over time. Times count from the session's start, in nanoseconds.
package struct Timeline: Sendable {
  /// What a loop did in one slice.
  package struct Slice: Sendable, Equatable {
    /// Time in spans and time in waits.
    package var time = LoopTime()
    /// Time outside any run.
    package var outside: Nanoseconds = 0
    /// How many iterations began.
    package var iterations: UInt64 = 0
    /// The longest span that ended, or was under way, in it.
    package var longest: Nanoseconds = 0
    /// Whether anything is known of it.
    package var isKnown: Bool { time.whole > 0 || outside > 0 || iterations > 0 }
  }

  /// One loop in a timeline.
  package struct Lane: Sendable {
    /// The loop's row.
    package var loop: Int64
    package var name: String
    /// What it did, slice by slice.
    package var slices: [Slice]
    /// For each slice, the share of time in which the loop ran and did not wait, 0…1; nil where nothing is known.
    package var busy: [Double?]
    /// For each slice, the share of time in stalls, 0…1.
    package var held: [Double]
    /// The mode with the most time, from a slice on until the next entry.
    package var modes: [(slice: Int, mode: String)]
  }

  /// Time that no figure covers.
  package struct Interval: Sendable {
    /// Excluded or blind.
    package var kind: IntervalRecord.Kind
    /// The probe's word for the reason.
    package var reason: String
    /// The row of the affected loop; nil for the whole process.
    package var loop: Int64?
    /// When it began.
    package var start: Nanoseconds
    /// When it ended.
    package var end: Nanoseconds
  }

  /// The session's row.
  package var session: Int64
  /// How long the session lasted.
  package var duration: Nanoseconds
  /// The length of a slice.
  package var slice: Nanoseconds
  /// The loops, the one held longest first.
  package var lanes: [Lane]
  /// The number of loops without a lane, because there are too many.
  package var leftOutLoops: Int
  /// The longest excluded and blind intervals, in the order of their start.
  package var intervals: [Interval]
}
