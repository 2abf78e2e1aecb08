import StallwatchCore

/// What has changed since the live region was written.
struct UnshownFigures: Sendable {
  var loops: Set<LoopID> = []
  var modes: Set<WriterState.ModeKey> = []
  var timers: Set<TimerID> = []
  /// Loops with ticks.
  var ticks: Set<LoopID> = []
  /// Whether the watchdog's lateness has.
  var watchdogLateness = false
  /// Whose figures the region need not keep any longer.
  var gone: Set<LiveKey.Owner> = []
}

extension WriterState {
  /// Puts what the live region does not show into its pieces. What has no row yet waits.
  mutating func show(in pieces: inout LivePieces) {
    pieces.remove(unshown.gone)
    unshown.gone = []
    pieces.put(health, windowsWritten: windowsWritten, timersFromNs: timersFromNs, lastSeenNs: lastSeenNs)
    if unshown.watchdogLateness, let lateness = health?.lateness { pieces.put(watchdogLateness: lateness) }
    unshown.watchdogLateness = false
    for id in unshown.loops {
      guard let loop = loops[id], let row = loop.row else { continue }
      pieces.put(LiveFigures.Loop(row: row, outside: loop.outside, activities: loop.activities))
      unshown.loops.remove(id)
    }
    for key in unshown.modes {
      guard let mode = modes[key], !mode.isEmpty, let row = mode.row, let loop = loops[key.loop]?.row else { continue }
      pieces.put(mode.windows, ofMode: row, loop: loop, from: mode.shownWindows)
      for window in mode.metrics.windows.dropFirst(mode.shownMetricWindows) {
        pieces.put(window, ofMode: row, loop: loop, coarsely: isCrowded)
      }
      modes[key]?.shownWindows = mode.windows.number
      modes[key]?.shownMetricWindows = mode.metrics.windows.count
      unshown.modes.remove(key)
    }
    for id in unshown.timers {
      guard let figures = figures(of: id) else { continue }
      pieces.put(figures, coarsely: isCrowded)
      unshown.timers.remove(id)
    }
    for id in unshown.ticks {
      guard let loop = loops[id], let row = loop.row else { continue }
      for window in loop.ticks.windows.dropFirst(loop.shownTickWindows) {
        pieces.put(window, ofLoop: row, coarsely: isCrowded)
      }
      loops[id]?.shownTickWindows = max(0, loop.ticks.windows.count - 1)
      unshown.ticks.remove(id)
    }
  }

  /// Has the live region show all of it once more.
  mutating func showAll() {
    unshown.loops = Set(loops.filter { $0.value.hasGrown }.keys)
    unshown.modes = Set(modes.filter { !$0.value.isEmpty }.keys)
    unshown.timers = grownTimers
    unshown.watchdogLateness = true
    unshown.ticks = Set(loops.filter { !$0.value.ticks.windows.isEmpty }.keys)
    for id in loops.keys { loops[id]?.shownTickWindows = 0 }
    for key in modes.keys {
      modes[key]?.shownWindows = 0
      modes[key]?.shownMetricWindows = 0
    }
  }
}
