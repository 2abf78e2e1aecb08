import StallwatchCore

/// One session's loops along time. Times are counted from the session's start.
struct Timeline: Sendable {
  /// A loop.
  struct Lane: Sendable {
    /// The loop's row.
    var loop: Int64
    /// Its name.
    var name: String
    /// The share of each slice in which the loop was in runs and did not wait; nil where nothing is known.
    var busy: [Double?]
    /// The share of each slice that lay in stalls.
    var held: [Double]
    /// The mode that took most of the time, from a slice on until the next entry.
    var modes: [(slice: Int, mode: String)]
  }

  /// Time that no figure covers.
  struct Interval: Sendable {
    /// Excluded or blind.
    var kind: IntervalRecord.Kind
    /// The probe's word for it.
    var reason: String
    /// The lane's loop; nil for the whole process.
    var loop: Int64?
    /// When it began.
    var start: Nanoseconds
    /// When it ended, on the monotonic clock.
    var end: Nanoseconds
  }

  /// The session's row.
  var session: Int64
  /// How long the session lasted.
  var duration: Nanoseconds
  /// The length of a slice.
  var slice: Nanoseconds
  /// The loops, the one that was held longest first.
  var lanes: [Lane]
  /// Loops that have no lane, because there are too many.
  var leftOutLoops: Int
  /// The longest excluded and blind intervals, in the order of their start.
  var intervals: [Interval]
}
