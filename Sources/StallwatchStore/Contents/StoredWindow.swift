import StallwatchCore

/// What a mode did in one window of time.
package struct StoredWindow: Sendable, Equatable {
  /// The row of the loop.
  package var loop: Int64
  /// The row of the mode.
  package var mode: Int64
  /// When the window begins, on the monotonic clock.
  package var startedNs: Nanoseconds
  /// Its length, in nanoseconds; what it holds is spread evenly over it, or over each of its cells.
  package var length: Nanoseconds
  /// Time in spans.
  package var busy: Nanoseconds
  /// Time in which the loop waited.
  package var waiting: Nanoseconds
  /// Time outside any run, after one in the mode.
  package var outside: Nanoseconds
  /// How many iterations began.
  package var iterations: UInt64
  /// The longest span that ended, or was under way, in it.
  package var longest: Nanoseconds
  /// Its cells, each ``length`` ÷ their number long; empty where nothing finer is known.
  package var cells: [WindowCell]

  /// Sets every property as given; checks nothing.
  package init(
    loop: Int64, mode: Int64, startedNs: Nanoseconds, length: Nanoseconds, busy: Nanoseconds = 0,
    waiting: Nanoseconds = 0, outside: Nanoseconds = 0, iterations: UInt64 = 0, longest: Nanoseconds = 0,
    cells: [WindowCell] = []
  ) {
    self.loop = loop
    self.mode = mode
    self.startedNs = startedNs
    self.length = length
    self.busy = busy
    self.waiting = waiting
    self.outside = outside
    self.iterations = iterations
    self.longest = longest
    self.cells = cells
  }

  /// The finest pieces that are known: the cells, or the window itself. Pieces have no cells.
  package var pieces: [StoredWindow] {
    guard !cells.isEmpty else { return [self] }
    let cellLength = length / Nanoseconds(cells.count)
    return cells.enumerated().map { place, cell in
      StoredWindow(
        loop: loop, mode: mode, startedNs: startedNs.saturatingAdd(Nanoseconds(place) * cellLength), length: cellLength,
        busy: cell.busy, waiting: cell.waiting, outside: cell.outside, iterations: UInt64(cell.iterations),
        longest: cell.longest)
    }
  }
}

extension StoredWindow {
  init(_ window: TimeWindow, loop: Int64, mode: Int64) {
    self.init(
      loop: loop, mode: mode, startedNs: window.startedNs, length: window.length, busy: window.busy,
      waiting: window.waiting, outside: window.outside, iterations: window.iterations, longest: window.longest,
      cells: window.cells)
  }
}
