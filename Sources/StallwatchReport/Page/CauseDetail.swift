import StallwatchCore

/// A cause from the inside: where the time of its stalls went, and the timers that they hurt.
struct CauseDetail: Sendable {
  /// A timer, and how many of the cause's stalls made it late or dropped its fires.
  struct HurtTimer: Sendable {
    /// The timer's row.
    var timer: Int64
    /// What texts call it.
    var title: String
    /// How many of the stalls.
    var stalls: Int
  }

  /// The cause with its counts.
  var report: SignatureReport
  /// Where the watched time of its stalls went, from what the run loop called on.
  var tree: CallTree
  /// The share of the tree's time below which functions were left out, to keep the page small.
  var leftOutShare: Double
  /// The timers, the most often hurt first.
  var timers: [HurtTimer]
}
