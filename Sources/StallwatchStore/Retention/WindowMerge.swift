import StallwatchCore

/// Brings windows of one mode to a coarser level: their sums add up exactly, their cells into those that they lie in.
struct WindowMerge {
  let level: Ladder.Level
  /// From where windows and cells are counted: the session's start.
  let origin: Nanoseconds

  /// A window as it lies in the store.
  struct Stored {
    var number: Int64
    var window: TimeWindow
  }

  /// So many cells without anything take more room than the row that they would save.
  private static let mostEmptyCells: Nanoseconds = 8

  /// Whether a window is finer than the level. A level with cells leaves windows without cells as they are.
  func concerns(_ window: TimeWindow) -> Bool {
    guard let cellLength = level.cellLength else { return true }
    return !window.cells.isEmpty && window.cellLength < cellLength && cellLength.isMultiple(of: window.cellLength)
  }

  /// Groups of windows, given in the order of their starts, each to become one window.
  func groups(of windows: [Stored]) -> [[Stored]] {
    var groups: [[Stored]] = []
    var end: Nanoseconds = 0
    for stored in windows where concerns(stored.window) {
      let start = stored.window.startedNs
      let isNear = level.cellLength.map { start.since(end) <= Self.mostEmptyCells * $0 } ?? true
      if !groups.isEmpty, isNear { groups[groups.count - 1].append(stored) } else { groups.append([stored]) }
      end = max(end, start.saturatingAdd(stored.window.length))
    }
    // A window without cells alone is what it would become.
    return groups.filter { $0.count > 1 || !$0[0].window.cells.isEmpty }
  }

  /// The window that a group becomes.
  func merged(_ group: [Stored]) -> TimeWindow {
    let first = group[0].window.startedNs
    let start = level.cellLength.map { origin + first.since(origin) / $0 * $0 } ?? first
    var merged = TimeWindow(startedNs: min(start, first), cellLength: level.cellLength ?? 0)
    for window in group.map(\.window) {
      merged.addSums(of: window)
      if level.cellLength != nil {
        for (place, cell) in window.cells.enumerated() {
          merged.add(cell, at: window.startedNs.saturatingAdd(Nanoseconds(place) * window.cellLength))
        }
      } else {
        merged.evenLength = max(merged.evenLength, window.startedNs.saturatingAdd(window.length) - merged.startedNs)
      }
    }
    return merged
  }
}

extension TimeWindow {
  fileprivate mutating func add(_ cell: WindowCell, at moment: Nanoseconds) {
    let place = Int(clamping: moment.since(startedNs) / cellLength)
    while cells.count <= place { cells.append(WindowCell()) }
    cells[place].add(cell)
  }

  fileprivate mutating func addSums(of other: TimeWindow) {
    entries = entries.saturatingAdd(other.entries)
    iterations = iterations.saturatingAdd(other.iterations)
    starved = starved.saturatingAdd(other.starved)
    busy = busy.saturatingAdd(other.busy)
    waiting = waiting.saturatingAdd(other.waiting)
    outside = outside.saturatingAdd(other.outside)
    longest = max(longest, other.longest)
  }
}
