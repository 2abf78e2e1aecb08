import StallwatchCore

/// How many cells of a minute are written: beyond that, cells become coarser, so that many loops do not fill the disk
/// with what nobody reads. The cells around a loop's stalls keep their grain.
///
/// Where the limit is reached, there is too much to be kept as usual: windows of time become shorter, so that few cells
/// have their finest grain at a time, and those of metrics and timers longer. Until these are in the store, the live
/// region has their durations, and how late timers and ticks were, within 6 % instead of 0.8 %; waits,
/// gaps and timers' lateness stay so.
struct CellLimit: Sendable {
  /// So many cells of full windows are kept at most. 32 modes that turn all the time have 7,680 a minute; at 13 to
  /// 17 bytes, and twice for SQLite's log, they are 16 MB an hour.
  var mostCells = 7_680
  /// So many once there were too many: ten for each of 200 modes, a minute in cells of 4 s and what is near its end.
  var mostCrowdedCells = 2_048
  /// The lengths that cells may come to, finest first: a click can still be told from the next at 1 s.
  var lengths = [Nanoseconds.second, WindowCell.longestLength]
  /// The length of windows of time once there are too many cells: ten of 250 ms.
  var shortWindow = 2_500 * Nanoseconds.millisecond
  /// How many windows of metrics, ticks and timers become one then. Ten minutes are what a day's are brought to.
  var metricWindows: Nanoseconds = 10
  /// Below so many modes in a minute, nothing is too much any longer.
  var fewModes = 32
  /// Cells within this of a stall keep their grain, and thus those of windows that ended less than this ago, because a
  /// stall may follow. It is half of a ladder's neighbourhood.
  var reach = Ladder().neighbourhood / 2
}

extension WriterState {
  /// Notes a stall, around which its loop's cells keep their grain.
  mutating func noteStall(_ id: StallID, of loop: LoopID, from start: Nanoseconds) {
    loops[loop]?.stalls[id] = start...Nanoseconds.max
  }

  mutating func noteStallEnd(_ id: StallID, of loop: LoopID, at end: Nanoseconds) {
    guard let start = loops[loop]?.stalls[id]?.lowerBound else { return }
    loops[loop]?.stalls[id] = start...max(start, end)
  }

  /// Makes cells coarser, a length after the other, until those of full windows are within the limit. Where that makes
  /// the session crowded, the windows of metrics and ticks that go on become as long as those that follow.
  mutating func coarsen(on grids: WindowGrids, limit: CellLimit) {
    let wasCrowded = isCrowded
    makeCellsCoarser(on: grids.time, limit: limit)
    if isCrowded, !wasCrowded { lengthenWindows(on: grids.metrics, ofLengths: grids.crowdedMetricWindows) }
  }

  private mutating func lengthenWindows(on grid: MetricSeries.Grid, ofLengths count: Nanoseconds) {
    for key in modes.keys {
      modes[key]?.metrics.lengthen(at: lastSeenNs, on: grid, ofLengths: count)
      modes[key]?.shownMetricWindows = 0
      unshown.modes.insert(key)
    }
    for id in loops.keys {
      loops[id]?.ticks.lengthen(at: lastSeenNs, on: grid, ofLengths: count)
      unshown.ticks.insert(id)
    }
  }

  private mutating func makeCellsCoarser(on grid: WindowSeries.Grid, limit: CellLimit) {
    for length in limit.lengths {
      let cells = modes.values.reduce(0) { $0 + $1.windows.fullCells }
      guard cells > (isCrowded ? limit.mostCrowdedCells : limit.mostCells) else { return }
      isCrowded = true
      for (id, loop) in loops {
        let near = loop.stalls.values.map { stall in
          stall.lowerBound.since(limit.reach)...stall.upperBound.saturatingAdd(limit.reach)
        }
        for index in loop.modes {
          let key = ModeKey(loop: id, index: index)
          let changed = modes[key]?.windows.coarsen(to: length, on: grid) { window in
            !window.isOver(before: lastSeenNs.since(limit.reach)) || near.contains { window.touches($0) }
          }
          guard changed == true else { continue }
          modes[key]?.shownWindows = 0
          unshown.modes.insert(key)
        }
      }
    }
  }

  /// Forgets stalls that no window touches any more.
  mutating func forgetStalls(before moment: Nanoseconds) {
    for id in loops.keys where loops[id]?.stalls.isEmpty == false {
      let stalls = loops[id]?.stalls ?? [:]
      loops[id]?.stalls = stalls.filter { $0.value.upperBound >= moment }
    }
  }
}

extension MetricSeries.Window {
  /// The same, with waits and gaps within 6 % instead of 0.8 %. They are as long as whatever the loop waits for, so that
  /// they fall on more counters than all other durations together, and tell least.
  var withCoarseWaits: Self {
    var window = self
    for metric in [Metric.waiting, .gap] {
      let place = Int(metric.rawValue)
      window.metrics[place] = window.metrics[place]?.coarse(by: LivePieces.coarseBits)
    }
    return window
  }
}

extension TimeWindow {
  var endNs: Nanoseconds { startedNs.saturatingAdd(length) }

  /// Whether it ended by then.
  func isOver(before moment: Nanoseconds) -> Bool { endNs <= moment }

  /// Whether it shares a moment with the stretch.
  func touches(_ stretch: ClosedRange<Nanoseconds>) -> Bool {
    stretch.lowerBound < endNs && stretch.upperBound > startedNs
  }
}
