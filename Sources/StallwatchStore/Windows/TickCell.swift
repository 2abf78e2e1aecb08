import StallwatchCore

/// The worst lateness in one part of a window of ticks, as places in ``HistogramLayout``.
package struct TickCell: Sendable, Equatable {
  /// One more than the place; 0: no tick was served.
  private(set) var runLoopMark: UInt16 = 0
  private(set) var gcdMark: UInt16 = 0

  init() {}

  init(runLoop: Nanoseconds?, gcd: Nanoseconds?) {
    let mark = { (lateness: Nanoseconds?) in lateness.map { UInt16(HistogramLayout.index(of: $0) + 1) } ?? 0 }
    (runLoopMark, gcdMark) = (mark(runLoop), mark(gcd))
  }

  /// A cell with these marks; those beyond the layout count as its end.
  init(runLoopMark: UInt16, gcdMark: UInt16) {
    let last = UInt16(HistogramLayout.bucketCount)
    (self.runLoopMark, self.gcdMark) = (min(runLoopMark, last), min(gcdMark, last))
  }

  var isEmpty: Bool { runLoopMark == 0 && gcdMark == 0 }

  mutating func add(_ other: TickCell) {
    runLoopMark = max(runLoopMark, other.runLoopMark)
    gcdMark = max(gcdMark, other.gcdMark)
  }

  /// The loop's worst lateness, within 0.8 % below it; nil where it served no tick.
  package var runLoop: Nanoseconds? { Self.lateness(runLoopMark) }
  /// The GCD timer's.
  package var gcd: Nanoseconds? { Self.lateness(gcdMark) }

  private static func lateness(_ mark: UInt16) -> Nanoseconds? {
    mark == 0 ? nil : HistogramLayout.lowestDuration(at: Int(mark) - 1)
  }
}

/// How cells of ticks lie in a store: two numbers of two bytes each, highest byte first.
enum TickCellEncoding {
  private static let length = 4
  /// More cells than any window has: those of an hour, by the second.
  private static let most = 3_600

  static func encode(_ cells: [TickCell]) -> [UInt8] {
    cells.flatMap { cell in
      [cell.runLoopMark, cell.gcdMark].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }
  }

  /// The cells in `bytes`; nil when they are no cells.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [TickCell]? {
    guard bytes.count.isMultiple(of: length), bytes.count / length <= most else { return nil }
    let number = { (place: Int) in UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }
    return stride(from: 0, to: bytes.count, by: length).map {
      TickCell(runLoopMark: number($0), gcdMark: number($0 + 2))
    }
  }
}
