import StallwatchCore

/// A timer in a store, with its ledger.
package struct StoredTimer: Sendable {
  /// The timer's row.
  package var id: Int64
  /// The row of its session.
  package var session: Int64
  /// The row of the loop that serves it; nil where unknown.
  package var loop: Int64?
  /// Its properties; `record.loop` is not set here.
  package var record: TimerRecord
  /// Its whole ledger so far; ``drops`` has the due times dropped by mode.
  package var ledger: TimerDelta
  /// Its lateness; nil if it never fired.
  package var lateness: StoredMetric?
  /// The due times dropped because of a mode: the mode's name, and how many.
  package var drops: [(mode: String, count: UInt64)]
  /// The stalls that hurt it.
  package var stalls: TimerStalls

  /// How many due times it had: fired and dropped.
  package var due: UInt64 { ledger.fired.saturatingAdd(ledger.dropped) }
}

/// What one stall did to one timer.
package struct StoredStallTimer: Sendable, Equatable {
  /// The row of the stall.
  package var stall: Int64
  /// The row of the timer.
  package var timer: Int64
  /// How many callouts came late because of the stall.
  package var late: UInt64
  /// How many due times fell into the stall and were dropped.
  package var dropped: UInt64
  /// The worst lateness of these callouts, in nanoseconds.
  package var worstLateness: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(stall: Int64, timer: Int64, late: UInt64, dropped: UInt64, worstLateness: Nanoseconds) {
    self.stall = stall
    self.timer = timer
    self.late = late
    self.dropped = dropped
    self.worstLateness = worstLateness
  }
}
