import StallwatchCore

/// Windows of time in a live region: cells, and sums as far as these do not say them.
extension LiveWriter {
  /// Puts a window of a session that began at `origin`.
  mutating func put(_ window: TimeWindow, from origin: Nanoseconds) {
    putRound(window.startedNs.since(origin))
    putRound(window.cellLength)
    putRound(window.evenLength)
    put(window.entries, window.starved)
    put(window.cells, columns: WindowCell.columns) { cell, column in
      switch column {
      case 0: UInt64(cell.busyNs)
      case 1: UInt64(cell.waitingNs)
      case 2: UInt64(cell.outsideNs)
      case 3: UInt64(cell.iterations)
      default: UInt64(cell.longestPlace)
      }
    }
    let known = CellSums(window.cells)
    put(window.iterations, near: known.iterations)
    put(window.busy, near: known.busy)
    put(window.waiting, near: known.waiting)
    put(window.outside, near: known.outside)
    put(window.longest, near: known.longest)
  }
}

extension LiveReader {
  mutating func timeWindow(from origin: Nanoseconds) throws(Unfit) -> TimeWindow {
    let (start, cellLength, evenLength) = (try roundTime(), try roundTime(), try roundTime())
    guard cellLength > 0, cellLength <= WindowCell.longestLength else { throw Unfit() }
    var window = TimeWindow(startedNs: moment(start, after: origin), cellLength: cellLength)
    window.evenLength = evenLength
    (window.entries, window.starved) = (try time(), try time())
    window.cells = try rows(columns: WindowCell.columns) { numbers throws(Unfit) in
      WindowCell(
        busyNs: UInt32(clamping: numbers[0]), waitingNs: UInt32(clamping: numbers[1]),
        outsideNs: UInt32(clamping: numbers[2]),
        iterations: min(UInt32(clamping: numbers[3]), WindowCell.mostIterations),
        longestPlace: UInt16(min(numbers[4], UInt64(HistogramLayout.bucketCount - 1))))
    }
    let known = CellSums(window.cells)
    window.iterations = try time(near: known.iterations)
    window.busy = try time(near: known.busy)
    window.waiting = try time(near: known.waiting)
    window.outside = try time(near: known.outside)
    window.longest = try time(near: known.longest)
    return window
  }
}

extension WindowCell {
  fileprivate static let columns = 5
}

/// What cells say of their window's sums.
private struct CellSums {
  var busy: Nanoseconds = 0
  var waiting: Nanoseconds = 0
  var outside: Nanoseconds = 0
  var iterations: UInt64 = 0
  var longest: Nanoseconds = 0

  init(_ cells: [WindowCell]) {
    for cell in cells {
      (busy, waiting, outside) = (busy &+ cell.busy, waiting &+ cell.waiting, outside &+ cell.outside)
      (iterations, longest) = (iterations &+ UInt64(cell.iterations), max(longest, cell.longest))
    }
  }
}
