import StallwatchCore
import StallwatchStore

/// Reads rows that ``RowEncoder`` wrote.
package struct RowDecoder {
  /// Bytes that no encoder writes: the file is damaged.
  package struct Damage: Error {}

  private var rest: ArraySlice<UInt8>

  /// A decoder for rows, one after the other.
  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Whether all rows are read.
  package var isAtEnd: Bool { rest.isEmpty }

  /// Reads a number in as many bytes as its type has.
  package mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(Damage) -> Number {
    let size = MemoryLayout<Number>.size
    guard rest.count >= size else { throw Damage() }
    defer { rest = rest.dropFirst(size) }
    return rest.prefix(size).withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
  }

  /// Reads a text in UTF-8.
  package mutating func text() throws(Damage) -> String {
    let length = try length()
    guard rest.count >= length else { throw Damage() }
    defer { rest = rest.dropFirst(length) }
    return String(decoding: rest.prefix(length), as: UTF8.self)
  }

  /// Reads an array.
  package mutating func texts() throws(Damage) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try length()) { texts.append(try text()) }
    return texts
  }

  /// Reads an array.
  package mutating func numbers<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(Damage) -> [Number]
  {
    var numbers: [Number] = []
    for _ in 0..<(try length()) { numbers.append(try number()) }
    return numbers
  }

  /// Reads a histogram from two arrays of one length.
  package mutating func histogram() throws(Damage) -> DurationHistogram {
    let places = try numbers(UInt16.self)
    let counts = try numbers(UInt64.self)
    guard places.count == counts.count, places.allSatisfy({ $0 < HistogramLayout.bucketCount }) else { throw Damage() }
    var histogram = DurationHistogram()
    for (place, count) in zip(places, counts) {
      histogram.record(HistogramLayout.lowestDuration(at: Int(place)), count: count)
    }
    return histogram
  }

  /// Reads two arrays of one length.
  mutating func pairs() throws(Damage) -> [(String, String)] {
    let (names, values) = (try texts(), try texts())
    guard names.count == values.count else { throw Damage() }
    return Array(zip(names, values))
  }

  private mutating func length() throws(Damage) -> Int {
    var (length, shift): (UInt64, UInt64) = (0, 0)
    while shift < 35, let byte = rest.popFirst() {
      length |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 {
        // Every element takes at least one byte.
        guard length <= UInt64(rest.count) else { throw Damage() }
        return Int(length)
      }
      shift += 7
    }
    throw Damage()
  }
}
