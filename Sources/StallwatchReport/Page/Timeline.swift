import StallwatchCore

/// One session's loops over time. Times count from the session's start, in nanoseconds.
package struct Timeline: Sendable {
  /// One loop in a timeline.
  package struct Lane: Sendable {
    /// The loop's row.
    package var loop: Int64
    package var name: String
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
