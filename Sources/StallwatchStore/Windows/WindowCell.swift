import StallwatchCore

/// What a mode did in one cell of a window. Sums that exceed a field stop at its greatest value; the window's own sums
/// are exact.
package struct WindowCell: Sendable, Equatable {
  var busyNs: UInt32 = 0
  var waitingNs: UInt32 = 0
  var outsideNs: UInt32 = 0
  /// At most ``mostIterations``.
  var iterations: UInt32 = 0
  /// The place of the longest span in ``HistogramLayout``.
  var longestPlace: UInt16 = 0

  /// The most iterations that a cell holds: three bytes. A loop that only polls makes some 2 million a second.
  static let mostIterations: UInt32 = 1 << 24 - 1
  /// The longest cell: its times have four bytes.
  package static let longestLength = 4 * Nanoseconds.second

  /// Time in spans.
  package var busy: Nanoseconds { Nanoseconds(busyNs) }
  /// Time in which the loop waited.
  package var waiting: Nanoseconds { Nanoseconds(waitingNs) }
  /// Time outside any run.
  package var outside: Nanoseconds { Nanoseconds(outsideNs) }
  /// The longest span, within 0.8 % below its length.
  package var longest: Nanoseconds { HistogramLayout.lowestDuration(at: Int(longestPlace)) }

  /// Adds another cell: its sums, and its longest span if that is longer.
  mutating func add(_ other: WindowCell) {
    busyNs = Self.sum(busyNs, other.busyNs)
    waitingNs = Self.sum(waitingNs, other.waitingNs)
    outsideNs = Self.sum(outsideNs, other.outsideNs)
    iterations = min(Self.sum(iterations, other.iterations), Self.mostIterations)
    longestPlace = max(longestPlace, other.longestPlace)
  }

  private static func sum(_ one: UInt32, _ other: UInt32) -> UInt32 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

/// How cells lie in a store: numbers with the highest byte first, so that SQL can read them too.
enum CellEncoding {
  /// A field of a cell: where it begins, and how many bytes it has.
  enum Field {
    case busy, waiting, iterations, longest, outside

    var offset: Int {
      switch self {
      case .busy: 0
      case .waiting: 4
      case .iterations: 8
      case .longest: 11
      case .outside: 13
      }
    }

    var length: Int {
      switch self {
      case .busy, .waiting, .outside: 4
      case .iterations: 3
      case .longest: 2
      }
    }
  }

  /// The bytes of a cell of a window without time outside runs; such time takes four more.
  static let shortLength = Field.outside.offset
  static let longLength = shortLength + Field.outside.length

  static func encode(_ cells: [WindowCell], withOutside: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(cells.count * (withOutside ? longLength : shortLength))
    for cell in cells {
      append(cell.busyNs, .busy, to: &bytes)
      append(cell.waitingNs, .waiting, to: &bytes)
      append(cell.iterations, .iterations, to: &bytes)
      append(UInt32(cell.longestPlace), .longest, to: &bytes)
      if withOutside { append(cell.outsideNs, .outside, to: &bytes) }
    }
    return bytes
  }

  /// The cells in `bytes`, `count` of them; nil when they are not that many.
  static func decode(_ bytes: UnsafeRawBufferPointer, count: Int) -> [WindowCell]? {
    guard count > 0, bytes.count.isMultiple(of: count) else { return nil }
    let length = bytes.count / count
    guard length == shortLength || length == longLength else { return nil }
    return (0..<count).map { place in
      let cell = UnsafeRawBufferPointer(rebasing: bytes[place * length..<(place + 1) * length])
      let longest = min(number(.longest, in: cell), UInt32(HistogramLayout.bucketCount - 1))
      return WindowCell(
        busyNs: number(.busy, in: cell), waitingNs: number(.waiting, in: cell),
        outsideNs: length == longLength ? number(.outside, in: cell) : 0, iterations: number(.iterations, in: cell),
        longestPlace: UInt16(longest))
    }
  }

  private static func append(_ number: UInt32, _ field: Field, to bytes: inout [UInt8]) {
    for place in (0..<field.length).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt32(place))))
    }
  }

  private static func number(_ field: Field, in cell: UnsafeRawBufferPointer) -> UInt32 {
    cell[field.offset..<field.offset + field.length].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// SQL for a field of the cell number `place` in a row of `time_windows`.
  static func sql(_ field: Field) -> String {
    let cellLength = "(length(cells) / (length_ns / cell_ns))"
    let digits = "hex(substr(cells, place * \(cellLength) + \(field.offset + 1), \(field.length)))"
    // SQLite has no function that reads a number's bytes: this adds up the hexadecimal digits, highest first.
    let count = field.length * 2
    let number = (1...count).map { place in
      "(instr('123456789ABCDEF', substr(\(digits), \(place), 1)) << \(4 * (count - place)))"
    }.joined(separator: " + ")
    switch field {
    case .outside: return "CASE WHEN outside_ns > 0 THEN \(number) ELSE 0 END"
    case .longest: return Self.duration(atPlace: "(\(number))")
    default: return "(\(number))"
    }
  }

  /// SQL for ``HistogramLayout/lowestDuration(at:)``.
  private static func duration(atPlace place: String) -> String {
    let half = HistogramLayout.halfCount
    let magnitude = HistogramLayout.halfMagnitude
    return """
      CASE WHEN \(place) < \(2 * half) THEN \(place) << \(HistogramLayout.lowestMagnitude)
        ELSE ((\(place) & \(half - 1)) + \(half)) << ((\(place) >> \(magnitude)) + \(HistogramLayout.lowestMagnitude - 1)) END
      """
  }
}
