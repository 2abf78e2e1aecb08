import StallwatchCore

/// Windows of ticks in a live region.
extension LiveWriter {
  /// Puts a window, with one counter or place for two to the power of `bits`.
  mutating func put(_ window: TickWindow, coarseBy bits: UInt16) {
    put(UInt64(bits))
    putRound(window.length)
    putRound(window.cellLength)
    put(window.ticks, window.first.number, window.last.number)
    put(window.first.dueNs, near: window.startedNs)
    put(window.last.dueNs, near: window.startedNs)
    put(window.runLoop, coarseBy: bits)
    put(window.gcd, coarseBy: bits)
    put(window.drift.total)
    put(window.drift.maximum) { $0.put($1 < 0 ? 1 : 0, $1.magnitude) }
    put(window.drift.above, coarseBy: bits)
    put(window.drift.below, coarseBy: bits)
    put(window.inOtherModes, window.late.count, window.late.lateness, window.late.machine, window.gcdLate)
    put(window.leftOut.count, window.leftOut.rest)
    put(window.steps.total, window.steps.squares, window.steps.lateness)
    put(window.cells, columns: 2) { cell, column in
      let mark = column == 0 ? cell.runLoopMark : cell.gcdMark
      return mark == 0 ? 0 : UInt64((mark - 1) >> bits + 1)
    }
    put(window.kept, columns: TickWindow.Kept.columns) { kept, column in
      let tick = kept.tick
      switch column {
      case 0: return tick.number &- window.first.number
      case 1: return LiveDifference.encode(tick.dueNs, from: window.likelyDueNs(of: tick.number))
      case 2: return tick.runLoopLateness.map { $0.saturatingAdd(1) } ?? 0
      case 3: return tick.gcdLateness.map { $0.saturatingAdd(1) } ?? 0
      case 4: return LiveDifference.encode(tick.inOtherModes, from: tick.runLoopLateness ?? 0)
      default: return LiveDifference.encode(kept.machine, from: tick.gcdLateness ?? 0)
      }
    }
  }
}

extension LiveReader {
  mutating func tickWindow(startedNs: Nanoseconds) throws(Unfit) -> TickWindow {
    let bits = try coarseBits()
    var window = TickWindow(startedNs: startedNs, length: try roundTime())
    window.cellLength = try roundTime()
    window.ticks = try time()
    (window.first.number, window.last.number) = (try time(), try time())
    (window.first.dueNs, window.last.dueNs) = (try time(near: startedNs), try time(near: startedNs))
    window.runLoop = try metric(coarseBy: bits)
    window.gcd = try metric(coarseBy: bits)
    window.drift.total = try time()
    window.drift.maximum = try optional { reader throws(Unfit) in
      let isBelow = try reader.number() == 1
      let magnitude = Int64(try reader.time())
      return isBelow ? -magnitude : magnitude
    }
    window.drift.above = try durations(coarseBy: bits)
    window.drift.below = try durations(coarseBy: bits)
    window.inOtherModes = try time()
    window.late = TickWindow.Late(count: try time(), lateness: try time(), machine: try time())
    window.gcdLate = try time()
    window.leftOut = TickWindow.LeftOut(count: try time(), rest: try time())
    window.steps = TickWindow.Steps(total: try time(), squares: try time(), lateness: try time())
    window.cells = try rows(columns: 2) { numbers throws(Unfit) in
      let marks = numbers.map { $0 == 0 ? 0 : UInt16(clamping: ($0 - 1).saturatingMultiply(by: 1 << UInt64(bits)) + 1) }
      return TickCell(runLoopMark: marks[0], gcdMark: marks[1])
    }
    window.kept = try rows(columns: TickWindow.Kept.columns) { [window] numbers throws(Unfit) in
      let number = Self.time(window.first.number &+ numbers[0])
      let due = LiveDifference.decode(numbers[1], from: window.likelyDueNs(of: number))
      let lateness = numbers[2...3].map { $0 == 0 ? nil : Self.time($0 - 1) }
      return TickWindow.Kept(
        tick: DriftTick(
          loop: LoopID(rawValue: 0), number: number, dueNs: Self.time(due), runLoopLateness: lateness[0],
          gcdLateness: lateness[1],
          inOtherModes: Self.time(LiveDifference.decode(numbers[4], from: lateness[0] ?? 0))),
        machine: Self.time(LiveDifference.decode(numbers[5], from: lateness[1] ?? 0)))
    }
    guard window.cellLength > 0, window.drift.maximum != nil || window.drift.count == 0 else { throw Unfit() }
    return window
  }
}

extension TickWindow {
  /// When the tick of this number was due if ticks are equally far apart, as they are unless somebody changes the
  /// interval.
  fileprivate func likelyDueNs(of number: UInt64) -> Nanoseconds {
    let ticks = last.number &- first.number
    guard ticks > 0 else { return first.dueNs }
    return first.dueNs &+ (last.dueNs &- first.dueNs) / ticks &* (number &- first.number)
  }
}

extension TickWindow.Kept {
  /// What is written of each: number, due time, lateness of the loop and of the control, and its two parts.
  fileprivate static let columns = 6
}
