import StallwatchStore

/// Writes rows in ClickHouse's format RowBinary: numbers little-endian, texts and arrays after their length in LEB128.
/// Versions since 1.1 read it.
package struct RowEncoder {
  /// The rows so far.
  package private(set) var bytes: [UInt8] = []

  /// An encoder without rows.
  package init() {}

  /// Writes a number in as many bytes as its type has.
  package mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a text in UTF-8.
  package mutating func put(_ text: String) {
    var text = text
    text.withUTF8 {
      putLength($0.count)
      bytes.append(contentsOf: $0)
    }
  }

  /// Writes an array.
  package mutating func put(_ texts: [String]) {
    putLength(texts.count)
    for text in texts { put(text) }
  }

  /// Writes an array.
  package mutating func put<Number: FixedWidthInteger>(_ numbers: [Number]) {
    putLength(numbers.count)
    for number in numbers { put(number) }
  }

  /// Writes a histogram as two arrays of one length: the places of its counters, and the counters.
  package mutating func put(_ histogram: DurationHistogram) {
    put(histogram.buckets.map { UInt16($0.index) })
    put(histogram.buckets.map(\.count))
  }

  private mutating func putLength(_ length: Int) {
    var rest = UInt64(length)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
