import StallwatchCore

/// The windows of one loop's ticks that are not in the store yet.
struct TickSeries: Sendable {
  /// Oldest first.
  private(set) var windows: [TickWindow] = []
  /// When the control last served a tick.
  private var controlServedNs: Nanoseconds = 0

  /// Adds a tick to the window in which it was due, or to a later one if there is one. A new one is as long as `count`
  /// usual ones at most.
  mutating func add(_ tick: DriftTick, on grid: MetricSeries.Grid, ofLengths count: Nanoseconds) {
    if windows.last.map({ tick.dueNs >= $0.startedNs.saturatingAdd($0.length) }) ?? true {
      let (start, length) = grid.window(at: tick.dueNs, ofLengths: count)
      windows.append(TickWindow(startedNs: start, length: length))
    }
    if let lateness = tick.gcdLateness { controlServedNs = tick.dueNs.saturatingAdd(lateness) }
    windows[windows.count - 1].add(tick, machine: tick.machinePart(controlServedNs: controlServedNs))
  }

  /// Makes the window in which `moment` lies as long as `count` usual ones at most.
  mutating func lengthen(at moment: Nanoseconds, on grid: MetricSeries.Grid, ofLengths count: Nanoseconds) {
    guard let last = windows.last, moment < last.startedNs.saturatingAdd(last.length) else { return }
    windows[windows.count - 1].lengthen(to: grid.window(at: last.startedNs, ofLengths: count).length)
  }

  /// Removes windows, once they are in the store.
  mutating func removeAll(where isWritten: (TickWindow) -> Bool = { _ in true }) { windows.removeAll(where: isWritten) }
}
