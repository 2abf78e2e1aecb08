import StallwatchCore

/// What the writer knows of the rows it wrote, and the figures that are not in the store yet. A value, so that putting
/// the old one back undoes a failed transaction here too.
struct WriterState {
  /// A loop's row, nil until its record is written, and its sums.
  struct Loop {
    var row: Int64?
    var outside: Nanoseconds = 0
    var activities: UInt64 = 0
    /// Whether the sums have grown since they were written.
    var hasGrown = false
    /// The windows of its ticks that are not in the store yet.
    var ticks = TickSeries()
    /// How many of their windows, the first ones, the live region has as they will stay.
    var shownTickWindows = 0
    /// Its modes, by their places in its table, and its timers.
    var modes: [Int] = []
    var timers: Set<TimerID> = []
    /// When its latest stalls were; one that goes on has no end.
    var stalls: [StallID: ClosedRange<Nanoseconds>] = [:]
  }

  /// The key of a mode within its session.
  struct ModeKey: Hashable {
    var loop: LoopID
    var index: Int
  }

  /// A mode's row, nil until its record is written, and its windows that are not in the store yet.
  struct Mode {
    var row: Int64?
    var windows = WindowSeries()
    var metrics = MetricSeries()
    /// The first of its windows that the live region may not have as they will stay.
    var shownWindows: UInt64 = 0
    /// How many of its windows of metrics, the first ones, the live region has as they are.
    var shownMetricWindows = 0
    var isEmpty: Bool { windows.isEmpty && metrics.windows.isEmpty }

    /// Removes all windows.
    mutating func removeAll() {
      windows.removeAll()
      metrics.removeAll()
      (shownWindows, shownMetricWindows) = (0, 0)
    }
  }

  /// The key of a loss: the buffer that lost records, and its loop.
  struct LossKey: Hashable {
    var what: String
    var loop: LoopID?
  }

  /// A stall that is not over.
  struct OpenStall {
    var row: Int64
    var loop: LoopID
    var startedNs: Nanoseconds
    /// Whether its row has its end and cause, so that neither is left to write.
    var isComplete = false
    /// Whether samples of it were written.
    var hasSamples = false
    /// A cause that its row does not have yet: it is written when the stall ends, or at the end of the batch.
    var unreportedCause: StallCause?
  }

  /// A timer's row, nil until its record is written, its loop, and its ledger.
  struct Timer {
    var row: Int64?
    var loop: LoopID?
    var figures = TimerFigures()
    var drops: [ModeKey: UInt64] = [:]
  }

  var loops: [LoopID: Loop] = [:]
  var timers: [TimerID: Timer] = [:]
  /// The timers whose ledgers have grown since they were written.
  var grownTimers: Set<TimerID> = []
  var modes: [ModeKey: Mode] = [:]
  var openStalls: [StallID: OpenStall] = [:]
  var losses: [LossKey: UInt64] = [:]
  /// How many images were written.
  var images: Int64 = 0
  var health: LiveFigures.Health?
  /// How often figures came into the store, and how many windows.
  var closings: Int64 = 0
  var windowsWritten: Int64 = 0
  /// The start of the window in which the first figure came since timers' ledgers were closed.
  var timersFromNs: Nanoseconds = 0
  /// Whether there is too much for the usual windows.
  var isCrowded = false
  /// Whether a window of time has become full since cells were held to their limit.
  var hasNewWindow = false
  /// What the live region does not show yet.
  var unshown = UnshownFigures()
  /// The latest moment that a record showed, on the monotonic clock.
  var lastSeenNs: Nanoseconds

  /// Adds a new timer.
  mutating func add(_ timer: Timer, as id: TimerID) {
    timers[id] = timer
    if let loop = timer.loop { loops[loop]?.timers.insert(id) }
  }

  /// Notes that another loop serves the timer.
  mutating func move(_ id: TimerID, to loop: LoopID?) {
    guard let timer = timers[id], timer.loop != loop else { return }
    if let loop = timer.loop { loops[loop]?.timers.remove(id) }
    if let loop { loops[loop]?.timers.insert(id) }
    timers[id]?.loop = loop
  }

  /// Forgets a timer that has no more records to come.
  mutating func forget(_ id: TimerID) {
    grownTimers.remove(id)
    unshown.timers.remove(id)
    guard let timer = timers.removeValue(forKey: id) else { return }
    if let row = timer.row { unshown.gone.insert(.timer(row)) }
    if let loop = timer.loop { loops[loop]?.timers.remove(id) }
  }

  /// Forgets a loop that is over, with its modes and timers, which have no more records to come.
  mutating func forget(_ id: LoopID) {
    unshown.loops.remove(id)
    unshown.ticks.remove(id)
    guard let loop = loops.removeValue(forKey: id) else { return }
    if let row = loop.row { unshown.gone.insert(.loop(row)) }
    for mode in loop.modes {
      let key = ModeKey(loop: id, index: mode)
      unshown.modes.remove(key)
      if let row = modes.removeValue(forKey: key)?.row { unshown.gone.insert(.mode(row)) }
    }
    for timer in loop.timers { forget(timer) }
    for key in losses.keys where key.loop == id { losses[key] = nil }
  }

  /// Notes that the monitor was alive at `moment`, as a record shows.
  mutating func see(_ moment: Nanoseconds) { lastSeenNs = max(lastSeenNs, moment) }
}
