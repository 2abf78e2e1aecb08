import StallwatchCore

/// A timer and its ledger.
public struct StoredTimer: Sendable {
  /// The timer's row.
  public var id: Int64
  /// The session's row.
  public var session: Int64
  /// The row of the loop that serves it; nil where that is not known.
  public var loop: Int64?
  /// What it is: its loop is not set here.
  public var record: TimerRecord
  /// Its ledger as it stands, from the beginning on; its modes' drops are in ``drops``.
  public var ledger: TimerDelta
  /// Its lateness; nil where it never fired.
  public var lateness: StoredMetric?
  /// Due times that were dropped by a mode: the mode's name, and how many.
  public var drops: [(mode: String, count: UInt64)]
  /// The stalls that hurt it.
  public var stalls: TimerStalls

  /// Due times.
  public var due: UInt64 { ledger.fired.saturatingAdd(ledger.dropped) }
}

/// What one stall did to one timer.
public struct StoredStallTimer: Sendable, Equatable {
  /// The stall's row.
  public var stall: Int64
  /// The timer's row.
  public var timer: Int64
  /// Callouts that came late because of it.
  public var late: UInt64
  /// Due times in it that were dropped.
  public var dropped: UInt64
  /// The worst lateness of these callouts.
  public var worstLateness: Nanoseconds

  /// A hurt timer.
  public init(stall: Int64, timer: Int64, late: UInt64, dropped: UInt64, worstLateness: Nanoseconds) {
    self.stall = stall
    self.timer = timer
    self.late = late
    self.dropped = dropped
    self.worstLateness = worstLateness
  }
}
