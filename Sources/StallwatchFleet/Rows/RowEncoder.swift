import StallwatchStore

/// Writes rows in ClickHouse's format RowBinary: numbers little-endian, texts and arrays after their length in LEB128.
/// Versions since 1.1 read it.
package struct RowEncoder {
  /// The rows so far.
  package private(set) var bytes: [UInt8] = []
  /// The columns as JSON, in place of ``bytes``; nil without `asJSON`.
  package private(set) var values: [String]?

  /// An encoder without rows. With `asJSON`, it makes ``values`` in place of bytes, for people who want to see a row.
  package init(asJSON: Bool = false) { values = asJSON ? [] : nil }

  /// Removes everything after so many bytes.
  mutating func cut(to count: Int) { bytes.removeLast(max(bytes.count - count, 0)) }

  /// Writes a number in as many bytes as its type has.
  package mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    if values != nil { return put(value: "\(number)") }
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a text in UTF-8.
  package mutating func put(_ text: String) {
    if values != nil { return put(value: Self.json(text)) }
    var text = text
    text.withUTF8 {
      putLength($0.count)
      bytes.append(contentsOf: $0)
    }
  }

  /// Writes an array.
  package mutating func put(_ texts: [String]) {
    if values != nil { return put(value: "[\(texts.map(Self.json).joined(separator: ","))]") }
    putLength(texts.count)
    for text in texts { put(text) }
  }

  /// Writes an array.
  package mutating func put<Number: FixedWidthInteger>(_ numbers: [Number]) {
    if values != nil { return put(value: "[\(numbers.map { "\($0)" }.joined(separator: ","))]") }
    putLength(numbers.count)
    for number in numbers { put(number) }
  }

  /// Writes a histogram as two arrays of the same length: the indices of its counters, and the counters.
  package mutating func put(_ histogram: DurationHistogram) {
    put(histogram.buckets.map { UInt16($0.index) })
    put(histogram.buckets.map(\.count))
  }

  private mutating func put(value: String) { values?.append(value) }

  /// A text as a JSON string (RFC 8259, section 7).
  static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
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
