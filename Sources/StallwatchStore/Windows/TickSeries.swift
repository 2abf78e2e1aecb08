import StallwatchCore

/// The windows of one loop's ticks that are not in the store yet.
struct TickSeries: Sendable {
  /// Oldest first.
  private(set) var windows: [TickWindow] = []
  /// When the control last served a tick.
  private var controlServedNs: Nanoseconds = 0

  /// Adds a tick to the window in which it was due.
  mutating func add(_ tick: DriftTick, on grid: WindowSeries.Grid, length: Nanoseconds) {
    let start = grid.start(of: tick.dueNs, length: length)
    if windows.last?.startedNs != start { windows.append(TickWindow(startedNs: start, length: length)) }
    if let lateness = tick.gcdLateness { controlServedNs = tick.dueNs.saturatingAdd(lateness) }
    windows[windows.count - 1].add(tick, machine: tick.machinePart(controlServedNs: controlServedNs))
  }

  /// Removes all windows, once they are in the store.
  mutating func removeAll() { windows = [] }
}
