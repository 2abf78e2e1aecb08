import StallwatchCore

/// What a session's monitor knows and the store does not have yet: what a closing writes into the store, and what the
/// live region keeps until then.
///
/// Sums that only grow come whole, so that writing them twice does no harm. Windows come once: the session's
/// count of closings tells whether the store has them.
struct LiveFigures: Sendable, Equatable {
  /// A loop's sums.
  struct Loop: Sendable, Equatable {
    var row: Int64
    var outside: Nanoseconds
    var activities: UInt64
  }

  /// A mode's windows.
  struct Mode: Sendable, Equatable {
    var row: Int64
    /// The row of its loop.
    var loop: Int64
    var windows: [TimeWindow]
    var metrics: [MetricSeries.Window]
  }

  /// A timer's ledger.
  struct Timer: Sendable, Equatable {
    var row: Int64
    var figures: TimerFigures
    /// Due times dropped because of a mode: the mode's row, and how many.
    var drops: [Int64: UInt64]
  }

  /// What the monitor cost.
  struct Health: Sendable, Equatable {
    var atNs: Nanoseconds
    var observerTotal: Nanoseconds
    var monitorCPU: Nanoseconds
    var wakeups: UInt64
    var driftWakeups: UInt64
    var lateness: SparseHistogram
    var signalObstacle: String?
  }

  /// The windows of a loop's ticks, with the loop's row.
  struct Ticks: Sendable, Equatable {
    var loop: Int64
    var windows: [TickWindow]
  }

  /// How often figures came into the store before these.
  var closings: Int64 = 0
  /// How many windows of the session the store has.
  var windowsWritten: Int64 = 0
  /// The start of the window from which on the timers' ledgers have grown.
  var timersFromNs: Nanoseconds = 0
  /// The last moment at which the monitor was known to be alive.
  var lastSeenNs: Nanoseconds = 0
  /// Whether a part of them could not be read.
  var isDamaged = false
  var health: Health?
  var loops: [Loop] = []
  var modes: [Mode] = []
  var timers: [Timer] = []
  var ticks: [Ticks] = []
}

extension LiveFigures {
  /// The same figures, with windows joined that follow each other: fewer rows.
  func joined(on grid: WindowSeries.Grid) -> LiveFigures {
    var joined = self
    for place in joined.modes.indices {
      joined.modes[place].windows = joined.modes[place].windows.sorted { $0.startedNs < $1.startedNs }
        .map { WindowSeries.Full(numbers: 0..<1, window: $0) }.joined(on: grid).map(\.window)
    }
    return joined
  }

  /// The same figures in a store in which the rows of these tables have other numbers, by these differences.
  func shifted(loops: Int64, modes: Int64, timers: Int64) -> LiveFigures {
    var shifted = self
    for place in shifted.loops.indices { shifted.loops[place].row += loops }
    for place in shifted.modes.indices {
      shifted.modes[place].row += modes
      shifted.modes[place].loop += loops
    }
    for place in shifted.timers.indices {
      shifted.timers[place].row += timers
      let drops = shifted.timers[place].drops.map { ($0.key + modes, $0.value) }
      shifted.timers[place].drops = Dictionary(drops, uniquingKeysWith: { first, _ in first })
    }
    for place in shifted.ticks.indices { shifted.ticks[place].loop += loops }
    return shifted
  }
}
