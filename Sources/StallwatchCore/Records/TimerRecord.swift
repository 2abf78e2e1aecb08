/// A timer came into the ledger. Told again, whole, when something of it has changed.
public struct TimerRecord: Sendable, Equatable {
  /// What makes it fire.
  public enum Kind: String, Sendable, CaseIterable {
    /// A CFRunLoopTimer, which is what a Foundation `Timer` is.
    case runLoop = "run-loop"
    /// A timer source of the main dispatch queue, which the main loop serves.
    case mainQueue = "main-queue"
  }

  /// Its number within the session. All one-shot timers of one loop that were made at one place share a number, and so do
  /// repeating ones that were alike and lived one after the other: see ``TimerSites``. Told again after its end, it goes on.
  public var id: TimerID
  /// The loop that serves it; nil while it was not added to any that is watched.
  public var loop: LoopID?
  /// The name it was watched by; nil: known by its origin.
  public var name: String?
  /// What makes it fire.
  public var kind: Kind
  /// The return address in the code that made it, outside Foundation; 0: not known.
  public var origin: UInt64
  /// The time between two due times; 0 for a one-shot.
  public var interval: Nanoseconds
  /// How late it may fire by the program's own word; 0 where none was given, or the system ignores it.
  public var tolerance: Nanoseconds
  /// The modes that it was added to, CF's names, the common modes under theirs; empty where that is not known.
  public var modes: [String]
  /// When it came into the ledger, on the monotonic clock.
  public var madeNs: Nanoseconds

  /// A timer.
  public init(
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
public struct TimerDelta: Sendable {
  /// The timer.
  public var timer: TimerID
  /// When the growth was read.
  public var atNs: Nanoseconds
  /// Due times that a callout served.
  public var fired: UInt64
  /// Due times that no callout served; those that have not been served yet are in it when the timer has ended.
  public var dropped: UInt64
  /// Of ``dropped``, those at which the loop ran in a mode that the timer is not in: the mode's place in the loop's table,
  /// and how many.
  public var droppedByMode: [(mode: Int, count: UInt64)]
  /// Of ``dropped``, those at which the loop was outside any run.
  public var droppedOutside: UInt64
  /// Callouts that stood for more than one due time.
  public var coalesced: UInt64
  /// How often the program gave it another fire date.
  public var rearmed: UInt64
  /// How often its interval was changed.
  public var intervalChanges: UInt64
  /// Time in its own callout, without nested runs' share taken off.
  public var calloutTotal: Nanoseconds
  /// The longest callout ever.
  public var calloutMaximum: Nanoseconds
  /// How its lateness histogram grew: fire minus due. Its metric means nothing.
  public var lateness: MetricDelta?
  /// The worst lateness ever, and when that callout began; nil before the first.
  public var worst: (lateness: Nanoseconds, atNs: Nanoseconds)?
  /// When it was invalidated, or its last holder let go of it; nil while it lives.
  public var endedNs: Nanoseconds?
  /// Whether this is the entry's last record, so that the writer can forget it.
  public var isLast = false

  /// A timer whose ledger did not grow.
  public init(timer: TimerID, atNs: Nanoseconds) {
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

/// What one stall did to one timer. Growth: a timer may be told of several times for one stall.
public struct StallTimer: Sendable, Equatable {
  /// The stall.
  public var stall: StallID
  /// The timer that was due in it.
  public var timer: TimerID
  /// Callouts that came late because of it.
  public var late: UInt64
  /// Due times that fell into it and were dropped.
  public var dropped: UInt64
  /// The worst lateness of these callouts.
  public var worstLateness: Nanoseconds

  /// A hurt timer.
  public init(stall: StallID, timer: TimerID, late: UInt64, dropped: UInt64, worstLateness: Nanoseconds) {
    self.stall = stall
    self.timer = timer
    self.late = late
    self.dropped = dropped
    self.worstLateness = worstLateness
  }
}
