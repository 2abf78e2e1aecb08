import StallwatchCore

extension TickWindow {
  /// Adds another window's sums and histograms, so that this one covers both, in cells of `length` or longer. Ticks that
  /// are kept stay rows of their own.
  mutating func add(_ other: TickWindow, cellLength length: Nanoseconds) {
    var other = other
    let end = max(startedNs.saturatingAdd(self.length), other.startedNs.saturatingAdd(other.length))
    let pieces = pieces + other.pieces
    startedNs = min(startedNs, other.startedNs)
    self.length = end - startedNs
    cellLength = max(cellLength, other.cellLength, length)
    cells = []
    for piece in pieces { add(piece.cell, at: piece.startNs) }
    if ticks == 0 { (first, last) = (other.first, other.last) }
    if other.ticks > 0 {
      begin(at: other.first)
      other.begin(at: first)
      if other.last.number > last.number { last = other.last }
    }
    steps.add(other.steps)
    ticks = ticks.saturatingAdd(other.ticks)
    runLoop.add(other.runLoop)
    gcd.add(other.gcd)
    drift.add(other.drift)
    inOtherModes = inOtherModes.saturatingAdd(other.inOtherModes)
    late.count = late.count.saturatingAdd(other.late.count)
    late.lateness = late.lateness.saturatingAdd(other.late.lateness)
    late.machine = late.machine.saturatingAdd(other.late.machine)
    gcdLate = gcdLate.saturatingAdd(other.gcdLate)
    leftOut.count = leftOut.count.saturatingAdd(other.leftOut.count)
    leftOut.rest = leftOut.rest.saturatingAdd(other.leftOut.rest)
  }

  /// Makes the window so long, in cells that suit that.
  mutating func lengthen(to length: Nanoseconds) {
    guard length > self.length else { return }
    let pieces = pieces
    self.length = length
    cellLength = max(cellLength, Self.cellLength(ofWindow: length))
    cells = []
    for piece in pieces { add(piece.cell, at: piece.startNs) }
  }

  /// The cells that have something, with their beginnings.
  package var pieces: [(startNs: Nanoseconds, cell: TickCell)] {
    cells.enumerated().filter { !$0.element.isEmpty }.map { place, cell in
      (startedNs.saturatingAdd(Nanoseconds(place).saturatingMultiply(by: cellLength)), cell)
    }
  }
}

extension TickWindow.Steps {
  mutating func add(_ step: UInt64, lateness: Nanoseconds) {
    total = total.saturatingAdd(step)
    squares = squares.saturatingAdd(step.saturatingMultiply(by: step))
    self.lateness = self.lateness.saturatingAdd(step.saturatingMultiply(by: lateness))
  }

  /// Makes every step longer by `difference`, of `count` ticks whose lateness adds up to `lateness`.
  mutating func shift(by difference: UInt64, count: UInt64, lateness: Nanoseconds) {
    self.lateness = self.lateness.saturatingAdd(difference.saturatingMultiply(by: lateness))
    squares =
      squares
      .saturatingAdd(total.saturatingMultiply(by: difference).saturatingMultiply(by: 2))
      .saturatingAdd(count.saturatingMultiply(by: difference).saturatingMultiply(by: difference))
    total = total.saturatingAdd(count.saturatingMultiply(by: difference))
  }

  fileprivate mutating func add(_ other: Self) {
    total = total.saturatingAdd(other.total)
    squares = squares.saturatingAdd(other.squares)
    lateness = lateness.saturatingAdd(other.lateness)
  }
}
