import StallwatchCore

/// The details of one signature: its totals, and the timers that its stalls hurt.
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
  /// The timers, the most often hurt first.
  package var timers: [HurtTimer]
}
