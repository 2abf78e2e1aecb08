import StallwatchCore

/// What a mode did in one window of time: exact sums, and cells of equal length unless it was the same all the while.
struct TimeWindow: Sendable, Equatable {
  /// The window's start, a whole number of cells after the session's start.
  var startedNs: Nanoseconds
  /// The length of a cell.
  var cellLength: Nanoseconds
  /// Empty for a window that is evenly spread.
  var cells: [WindowCell] = []
  /// The length of a window without cells.
  var evenLength: Nanoseconds = 0
  var entries: UInt64 = 0
  var iterations: UInt64 = 0
  var starved: Nanoseconds = 0
  var busy: Nanoseconds = 0
  var waiting: Nanoseconds = 0
  var outside: Nanoseconds = 0
  var longest: Nanoseconds = 0

  init(startedNs: Nanoseconds, cellLength: Nanoseconds) {
    self.startedNs = startedNs
    self.cellLength = cellLength
  }

  var length: Nanoseconds { cells.isEmpty ? evenLength : Nanoseconds(cells.count) * cellLength }

  /// Adds a part of a stretch, which lies in the cell that begins at `cellStart`; that is not before the window's start.
  mutating func add(_ part: ModeStretch, cellStart: Nanoseconds) {
    let place = Int((cellStart - startedNs) / cellLength)
    cells.makeRoom(for: place + 1)
    while cells.count <= place { cells.append(WindowCell()) }
    cells[place].add(WindowCell(part))
    addSums(of: part)
  }

  /// Adds to the sums alone.
  mutating func addSums(of part: ModeStretch) {
    busy = busy.saturatingAdd(part.busy)
    waiting = waiting.saturatingAdd(part.waiting)
    outside = outside.saturatingAdd(part.outside)
    iterations = iterations.saturatingAdd(part.iterations)
    longest = max(longest, part.longest)
  }
}

extension WindowCell {
  init(_ part: ModeStretch) {
    self.init(
      busyNs: UInt32(clamping: part.busy), waitingNs: UInt32(clamping: part.waiting),
      outsideNs: UInt32(clamping: part.outside),
      iterations: UInt32(clamping: min(part.iterations, UInt64(Self.mostIterations))),
      longestPlace: UInt16(HistogramLayout.index(of: part.longest)))
  }
}

extension ModeStretch {
  /// The part of an evenly spread stretch between two moments within it. The parts of a stretch that is cut anywhere add
  /// up to it, to the nanosecond. Its longest span lies in its last part.
  func part(from start: Nanoseconds, to end: Nanoseconds) -> ModeStretch {
    let share = { (whole: UInt64) in portion(of: whole, until: end) - portion(of: whole, until: start) }
    return ModeStretch(
      startNs: start, endNs: end, busy: share(busy), waiting: share(waiting), outside: share(outside),
      iterations: share(iterations), longest: end >= endNs ? longest : 0)
  }

  /// What of `whole` lies before `moment`.
  private func portion(of whole: UInt64, until moment: Nanoseconds) -> UInt64 {
    if moment >= endNs { return whole }
    if moment <= startNs { return 0 }
    // Less than the whole, because the moment lies within: the division cannot overflow.
    return (endNs - startNs).dividingFullWidth(whole.multipliedFullWidth(by: moment - startNs)).quotient
  }
}
