import StallwatchCore

/// The windows of one mode that are not in the store yet: the one that is being filled, and full ones before it.
struct WindowSeries: Sendable {
  /// How windows lie in time.
  struct Grid: Sendable, Equatable {
    /// Windows and cells are counted from here: the session's start.
    var origin: Nanoseconds
    /// A window's length at most, a whole number of cells.
    var windowLength: Nanoseconds
    var cellLength: Nanoseconds

    /// The start of the cell in which `moment` lies; moments before the origin count as the origin.
    func cellStart(of moment: Nanoseconds) -> Nanoseconds { start(of: moment, length: cellLength) }
    /// The end of the window in which `moment` lies.
    func windowEnd(of moment: Nanoseconds) -> Nanoseconds {
      start(of: moment, length: windowLength).saturatingAdd(windowLength)
    }
    /// The start of the stretch of this length in which `moment` lies; moments before the origin count as the origin.
    func start(of moment: Nanoseconds, length: Nanoseconds) -> Nanoseconds {
      origin + moment.since(origin) / length * length
    }
  }

  /// Full windows, oldest first.
  private(set) var full: [TimeWindow] = []
  private(set) var current: TimeWindow?

  /// All windows, oldest first.
  var windows: [TimeWindow] { full + [current].compactMap(\.self) }
  var isEmpty: Bool { full.isEmpty && current == nil }

  /// Adds a stretch. What lasts for a window or more without a change makes a window without cells.
  mutating func add(_ stretch: ModeStretch, on grid: Grid) {
    var stretch = stretch
    stretch.startNs = max(stretch.startNs, grid.origin)
    stretch.endNs = max(stretch.endNs, stretch.startNs.saturatingAdd(1))
    var moment = stretch.startNs
    while moment < stretch.endNs {
      let cellStart = grid.cellStart(of: moment)
      let evenEnd = grid.cellStart(of: stretch.endNs)
      if moment == cellStart, evenEnd.since(moment) >= grid.windowLength {
        close()
        var window = TimeWindow(startedNs: moment, cellLength: grid.cellLength)
        window.evenLength = evenEnd - moment
        window.addSums(of: stretch.part(from: moment, to: evenEnd))
        full.append(window)
        moment = evenEnd
      } else {
        let end = min(cellStart.saturatingAdd(grid.cellLength), stretch.endNs)
        open(at: cellStart, on: grid)
        current?.add(stretch.part(from: moment, to: end), cellStart: cellStart)
        moment = end
      }
    }
  }

  /// Adds runs entered, and time in which the mode starved, at `moment`.
  mutating func add(entries: UInt64, starved: Nanoseconds, at moment: Nanoseconds, on grid: Grid) {
    guard entries > 0 || starved > 0 else { return }
    if current == nil {
      let cellStart = grid.cellStart(of: moment)
      open(at: cellStart, on: grid)
      // A window has at least one cell.
      current?.cells = [WindowCell()]
    }
    guard var window = current else { return }
    window.entries = window.entries.saturatingAdd(entries)
    window.starved = window.starved.saturatingAdd(starved)
    current = window
  }

  /// Whether the current window ended by `moment`, so that nothing more belongs to it.
  func isOver(at moment: Nanoseconds, on grid: Grid) -> Bool {
    current.map { grid.windowEnd(of: $0.startedNs) <= moment } ?? false
  }

  /// Removes all windows, once they are in the store.
  mutating func removeAll() { (full, current) = ([], nil) }

  private mutating func close() {
    if let current { full.append(current) }
    current = nil
  }

  /// Makes the window current to which the cell at `cellStart` belongs. A stretch may begin before the current window:
  /// time outside runs comes when it is over.
  private mutating func open(at cellStart: Nanoseconds, on grid: Grid) {
    if let current, cellStart >= current.startedNs, cellStart < grid.windowEnd(of: current.startedNs) { return }
    close()
    current = TimeWindow(startedNs: cellStart, cellLength: grid.cellLength)
  }
}
