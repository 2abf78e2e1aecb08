/// A timer entered the ledger. Comes again, whole, when one of its properties has changed.
package struct TimerRecord: Sendable, Equatable {
  /// What makes it fire.
  package enum Kind: String, Sendable, CaseIterable {
    /// A CFRunLoopTimer, which is what a Foundation `Timer` is.
    case runLoop = "run-loop"
    /// A timer source of the main dispatch queue, which the main loop serves.
    case mainQueue = "main-queue"
  }

  /// Its number within the session. All one-shot timers that one place made on one loop share a number, and so do alike
  /// repeating ones that lived one after the other: see ``TimerSites``. A later record continues an ended timer.
  package var id: TimerID
  /// The loop that serves it; nil while no watched loop has it.
  package var loop: LoopID?
  /// The name that the program gave it; nil: its origin identifies it.
  package var name: String?
  /// What makes it fire.
  package var kind: Kind
  /// The return address in the code that made it, outside Foundation; 0 where unknown.
  package var origin: UInt64
  /// The time between two due times, in nanoseconds; 0 for a one-shot.
  package var interval: Nanoseconds
  /// How late the program lets it fire, in nanoseconds; 0 where it said nothing, or where the system ignores it.
  package var tolerance: Nanoseconds
  /// The modes it was added to, by CF's names, the common modes under theirs; empty where unknown.
  package var modes: [String]
  /// When it entered the ledger, on the monotonic clock.
  package var madeNs: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(
    id: TimerID, loop: LoopID?, name: String?, kind: Kind, origin: UInt64, interval: Nanoseconds,
    tolerance: Nanoseconds, modes: [String], madeNs: Nanoseconds
  ) {
    self.id = id
    self.loop = loop
    self.name = name
    self.kind = kind
    self.origin = origin
    self.interval = interval
    self.tolerance = tolerance
    self.modes = modes
    self.madeNs = madeNs
  }
}

/// How a timer's ledger grew since the last such record.
package struct TimerDelta: Sendable {
  /// The timer that the growth belongs to.
  package var timer: TimerID
  /// When the watchdog read the growth, on the monotonic clock.
  package var atNs: Nanoseconds
  /// How many due times a callout served.
  package var fired: UInt64
  /// How many due times no callout served. Once the timer has ended it includes those not served by then.
  package var dropped: UInt64
  /// The part of ``dropped`` at which the loop ran in a mode that the timer is not in: the mode's place in the loop's
  /// table, and how many.
  package var droppedByMode: [(mode: Int, count: UInt64)]
  /// The part of ``dropped`` at which the loop was outside any run.
  package var droppedOutside: UInt64
  /// How many callouts stood for more than one due time.
  package var coalesced: UInt64
  /// How often the program gave it another fire date.
  package var rearmed: UInt64
  /// How often its interval was changed.
  package var intervalChanges: UInt64
  /// Time in its own callout, including runs nested in it.
  package var calloutTotal: Nanoseconds
  /// The longest callout ever, in nanoseconds.
  package var calloutMaximum: Nanoseconds
  /// How the histogram of its lateness, fire minus due, grew. Ignore its metric.
  package var lateness: MetricDelta?
  /// The worst lateness ever, and when that callout began; nil before the first callout.
  package var worst: (lateness: Nanoseconds, atNs: Nanoseconds)?
  /// When the program invalidated it, or its last holder released it; nil while it lives.
  package var endedNs: Nanoseconds?
  /// Whether this is the entry's last record, after which the writer can forget it.
  package var isLast = false

  /// A record without growth, to be filled.
  package init(timer: TimerID, atNs: Nanoseconds) {
    self.timer = timer
    self.atNs = atNs
    fired = 0
    dropped = 0
    droppedByMode = []
    droppedOutside = 0
    coalesced = 0
    rearmed = 0
    intervalChanges = 0
    calloutTotal = 0
    calloutMaximum = 0
  }
}

/// What one stall did to one timer. Growth: several records may name the same timer and stall.
package struct StallTimer: Sendable, Equatable {
  /// The stall that hurt the timer.
  package var stall: StallID
  /// The timer that was due in it.
  package var timer: TimerID
  /// How many callouts came late because of the stall.
  package var late: UInt64
  /// How many due times fell into the stall and were dropped.
  package var dropped: UInt64
  /// The worst lateness of these callouts, in nanoseconds; 0 without any.
  package var worstLateness: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(stall: StallID, timer: TimerID, late: UInt64, dropped: UInt64, worstLateness: Nanoseconds) {
    self.stall = stall
    self.timer = timer
    self.late = late
    self.dropped = dropped
    self.worstLateness = worstLateness
  }
}
