/// HdrHistogram's variable-length integers: ZigZag, then seven bits a byte, low bits first; the ninth byte gives all
/// eight.
enum VariableLengthInteger {
  /// Appends the encoding of `value`, one to nine bytes.
  static func append(_ value: Int64, to bytes: inout [UInt8]) {
    var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
    for _ in 0..<8 {
      if rest < 0x80 { return bytes.append(UInt8(rest)) }
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads a value at `position` and moves behind it; nil when the bytes end within the value.
  static func read(_ bytes: UnsafeRawBufferPointer, at position: inout Int) -> Int64? {
    var value: UInt64 = 0
    for place in 0..<9 {
      guard position < bytes.count else { return nil }
      let byte = UInt64(bytes[position])
      position += 1
      if place == 8 || byte < 0x80 {
        value |= byte << UInt64(7 * place)
        break
      }
      value |= (byte & 0x7f) << UInt64(7 * place)
    }
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }
}
