import StallwatchCore

/// The details of one signature: where its stalls' time went, and the timers that they hurt.
package struct CauseDetail: Sendable {
  /// A timer, and how many of the signature's stalls made it late or dropped its fires.
  package struct HurtTimer: Sendable {
    /// The timer's row.
    package var timer: Int64
    /// The timer's title.
    package var title: String
    /// The number of stalls that hurt it.
    package var stalls: Int
  }

  /// The signature with its totals.
  package var report: SignatureReport
  /// The watched time of its stalls by call path, from what the run loop called.
  package var tree: CallTree
  /// The share of the tree's time below which functions are left out, to keep the page small.
  package var leftOutShare: Double
  /// The timers, the most often hurt first.
  package var timers: [HurtTimer]
}
