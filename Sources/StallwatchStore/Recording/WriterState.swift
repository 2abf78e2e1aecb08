import StallwatchCore

/// What the writer knows of the rows it wrote. A value, so that putting the old one back undoes a failed transaction
/// here too.
struct WriterState {
  /// A loop's row and the sums in it.
  struct Loop {
    var row: Int64
    var outside: Nanoseconds = 0
    var activities: UInt64 = 0
    /// Its modes, by their places in its table, and its timers.
    var modes: [Int] = []
    var timers: Set<TimerID> = []
  }

  /// The key of a mode within its session.
  struct ModeKey: Hashable {
    var loop: LoopID
    var index: Int
  }

  /// The key of a loss: the buffer that lost records, and its loop.
  struct LossKey: Hashable {
    var what: String
    var loop: LoopID?
  }

  /// A stall that is not over.
  struct OpenStall {
    var row: Int64
    var startedNs: Nanoseconds
    /// Whether its row has its end and cause, so that neither is left to write.
    var isComplete = false
    /// Whether samples of it were written.
    var hasSamples = false
    /// A cause that its row does not have yet: it is written when the stall ends, or at the end of the batch.
    var untoldCause: StallCause?
  }

  /// A timer's row, its loop, and its lateness so far.
  struct Timer {
    var row: Int64
    var loop: LoopID?
    var lateness = MetricWindow()
  }

  var loops: [LoopID: Loop] = [:]
  var timers: [TimerID: Timer] = [:]
  var modes: [ModeKey: ModeWindow] = [:]
  var openStalls: [StallID: OpenStall] = [:]
  var losses: [LossKey: UInt64] = [:]
  /// How many images were written.
  var images: Int64 = 0
  var lateness = MetricWindow()
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
    guard let timer = timers.removeValue(forKey: id), let loop = timer.loop else { return }
    loops[loop]?.timers.remove(id)
  }

  /// Forgets a loop that is over, with its modes and timers, which have no more records to come.
  mutating func forget(_ id: LoopID) {
    guard let loop = loops.removeValue(forKey: id) else { return }
    for mode in loop.modes { modes[ModeKey(loop: id, index: mode)] = nil }
    for timer in loop.timers { timers[timer] = nil }
    for key in losses.keys where key.loop == id { losses[key] = nil }
  }
}

/// A mode's counters in the current window.
struct ModeWindow {
  /// The mode's row.
  let mode: Int64
  /// When the window begins, on the monotonic clock.
  var startedNs: Nanoseconds = 0
  /// The window's row in mode_windows; nil until the first write.
  var row: Int64?
  var entries: UInt64 = 0
  var iterations: UInt64 = 0
  var starved: Nanoseconds = 0
  /// In order of the metrics' raw values.
  private var metrics = [MetricWindow](repeating: MetricWindow(), count: Metric.count)

  init(mode: Int64) { self.mode = mode }

  /// Begins a new window if `start` is later than the current window's start.
  mutating func open(at start: Nanoseconds) {
    guard start > startedNs || row == nil else { return }
    let longest = metrics.map { MetricWindow(longestEver: $0.longestEver) }
    self = ModeWindow(mode: mode)
    startedNs = start
    metrics = longest
  }

  /// A metric's samples in the current window.
  subscript(metric: Metric) -> MetricWindow {
    get { metrics[Int(metric.rawValue)] }
    _modify { yield &metrics[Int(metric.rawValue)] }
  }

  /// Adds a mode's growth.
  mutating func add(_ delta: ProfileDelta) {
    entries = entries.saturatingAdd(delta.entries)
    iterations = iterations.saturatingAdd(delta.iterations)
    starved = starved.saturatingAdd(delta.starved)
    for metric in delta.metrics { self[metric.metric].add(metric) }
  }
}

/// A metric's samples in the current window.
struct MetricWindow {
  /// The window's row in profile_windows; nil until the first write.
  var row: Int64?
  private(set) var histogram = SparseHistogram()
  /// The longest sample in all windows, in nanoseconds.
  private(set) var longestEver: Nanoseconds = 0

  init(longestEver: Nanoseconds = 0) { self.longestEver = longestEver }

  mutating func add(_ delta: MetricDelta) {
    histogram.add(delta, previousMaximum: longestEver)
    longestEver = max(longestEver, delta.maximum)
  }
}
