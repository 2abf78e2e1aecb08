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
    /// What goes on without a change for so long needs no cells.
    var evenLength: Nanoseconds

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

  /// A window that is full, under a number that stays: one that was joined stands for several.
  struct Full: Sendable, Equatable {
    var numbers: Range<UInt64>
    var window: TimeWindow
  }

  /// Full windows, oldest first.
  private(set) var full: [Full] = []
  private(set) var current: TimeWindow?
  /// The number of the window that is being filled.
  private(set) var number: UInt64 = 0

  /// All windows, oldest first.
  var windows: [TimeWindow] { full.map(\.window) + [current].compactMap(\.self) }
  /// How many cells the full ones have.
  var fullCells: Int { full.reduce(0) { $0 + $1.window.cells.count } }
  var isEmpty: Bool { full.isEmpty && current == nil }

  /// Adds a stretch. What lasts for ``Grid/evenLength`` or more without a change makes a window without cells.
  mutating func add(_ stretch: ModeStretch, on grid: Grid) {
    var stretch = stretch
    stretch.startNs = max(stretch.startNs, grid.origin)
    stretch.endNs = max(stretch.endNs, stretch.startNs.saturatingAdd(1))
    var moment = stretch.startNs
    while moment < stretch.endNs {
      let cellStart = grid.cellStart(of: moment)
      let evenEnd = grid.cellStart(of: stretch.endNs)
      if moment == cellStart, evenEnd.since(moment) >= grid.evenLength {
        close()
        var window = TimeWindow(startedNs: moment, cellLength: grid.cellLength)
        window.evenLength = evenEnd - moment
        window.addSums(of: stretch.part(from: moment, to: evenEnd))
        append(window)
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

  /// Removes windows, once they are in the store.
  mutating func removeAll(where isWritten: (TimeWindow) -> Bool = { _ in true }) {
    full.removeAll { isWritten($0.window) }
    if let window = current, isWritten(window) { current = nil }
  }

  private mutating func close() {
    if let current { append(current) }
    current = nil
  }

  private mutating func append(_ window: TimeWindow) {
    full.append(Full(numbers: number..<number + 1, window: window))
    number += 1
  }

  /// Brings full windows to cells of this length, but for those to be spared, and joins them. Returns whether any has
  /// changed.
  mutating func coarsen(to length: Nanoseconds, on grid: Grid, sparing isSpared: (TimeWindow) -> Bool) -> Bool {
    let merge = WindowMerge(
      level: Ladder.Level(age: 0, windowLength: grid.windowLength, cellLength: length), origin: grid.origin)
    var hasChanged = false
    for place in full.indices where merge.concerns(full[place].window) && !isSpared(full[place].window) {
      full[place].window = merge.merged([WindowMerge.Stored(number: 0, window: full[place].window)])
      hasChanged = true
    }
    if hasChanged { full = full.joined(on: grid, longerThan: grid.cellLength) }
    return hasChanged
  }

  /// Makes the window current to which the cell at `cellStart` belongs. A stretch may begin before the current window:
  /// time outside runs comes when it is over.
  private mutating func open(at cellStart: Nanoseconds, on grid: Grid) {
    if let current, cellStart >= current.startedNs, cellStart < grid.windowEnd(of: current.startedNs) { return }
    close()
    current = TimeWindow(startedNs: cellStart, cellLength: grid.cellLength)
  }
}

extension [WindowSeries.Full] {
  /// The same windows with those joined that have cells of one length, longer than `length`, and follow each other
  /// closely: a row less, at the price of some empty cells. None gets more cells than an uncrowded window.
  func joined(on grid: WindowSeries.Grid, longerThan length: Nanoseconds = 0) -> [WindowSeries.Full] {
    var groups: [[WindowSeries.Full]] = []
    for full in self {
      if let group = groups.last, let last = group.last?.window, full.window.cellLength > length,
        !full.window.cells.isEmpty, !last.cells.isEmpty, last.cellLength == full.window.cellLength,
        full.window.startedNs >= last.startedNs, full.window.startedNs.since(last.endNs) < grid.windowLength,
        full.window.endNs.since(group[0].window.startedNs) <= grid.evenLength / grid.cellLength * full.window.cellLength
      {
        groups[groups.count - 1].append(full)
      } else {
        groups.append([full])
      }
    }
    return groups.map { group in
      guard group.count > 1 else { return group[0] }
      let level = Ladder.Level(age: 0, windowLength: grid.windowLength, cellLength: group[0].window.cellLength)
      let window = WindowMerge(level: level, origin: grid.origin)
        .merged(group.map { WindowMerge.Stored(number: 0, window: $0.window) })
      return WindowSeries.Full(
        numbers: group[0].numbers.lowerBound..<group[group.count - 1].numbers.upperBound, window: window)
    }
  }
}
