/// Reads little-endian numbers in sequence. Reading past the end yields zeroes and marks the cursor as broken, so a
/// damaged file ends a loop and not the program.
struct ByteCursor {
  /// The bytes to read from.
  let bytes: [UInt8]
  /// The offset of the next number.
  private(set) var offset: Int
  /// The offset at which reading stops.
  let end: Int
  /// Whether a read went past the end.
  private(set) var isBroken = false

  /// A cursor over `bytes` from `offset` to `end`, both limited to the bytes that exist.
  init(_ bytes: [UInt8], from offset: Int = 0, to end: Int = .max) {
    self.bytes = bytes
    self.end = max(0, min(end, bytes.count))
    self.offset = min(max(0, offset), self.end)
    isBroken = self.offset != offset
  }

  /// Whether no byte is left, or a read went past the end.
  var isAtEnd: Bool { offset >= end || isBroken }

  /// Reads the next byte.
  mutating func byte() -> UInt8 {
    guard offset < end else {
      isBroken = true
      return 0
    }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads the next number of `width` bytes, 1 to 8.
  mutating func number(_ width: Int) -> UInt64 {
    guard width <= end - offset else {
      isBroken = true
      offset = end
      return 0
    }
    var value: UInt64 = 0
    for place in 0..<width { value |= UInt64(bytes[offset + place]) << UInt64(8 * place) }
    offset += width
    return value
  }

  /// Reads the next unsigned LEB128 number; drops bits beyond the 64th.
  mutating func unsigned() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = byte()
      if shift < 64 { value |= UInt64(next & 0x7F) << shift }
      shift += 7
      if next & 0x80 == 0 || isBroken { return value }
    }
  }

  /// Reads the next signed LEB128 number; drops bits beyond the 64th.
  mutating func signed() -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = byte()
      if shift < 64 { value |= UInt64(next & 0x7F) << shift }
      shift += 7
      if next & 0x80 != 0, !isBroken { continue }
      if next & 0x40 != 0, shift < 64 { value |= ~0 << shift }
      return Int64(bitPattern: value)
    }
  }

  /// The longest text, in bytes. Names and paths are shorter.
  private static let longestText = 65_536

  /// Reads the next zero-terminated text. A text that is too long breaks the cursor.
  mutating func text() -> String {
    guard let length = bytes[offset..<end].prefix(Self.longestText).firstIndex(of: 0).map({ $0 - offset }) else {
      skip(.max)
      return ""
    }
    defer { offset += length + 1 }
    return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
  }

  /// Skips a zero-terminated text.
  mutating func skipText() {
    while byte() != 0, !isBroken {}
  }

  /// Skips `count` bytes.
  mutating func skip(_ count: UInt64) {
    guard count <= UInt64(end - offset) else {
      isBroken = true
      offset = end
      return
    }
    offset += Int(count)
  }

  /// Moves to `offset`.
  mutating func move(to offset: Int) {
    isBroken = isBroken || offset < 0 || offset > end
    self.offset = min(max(0, offset), end)
  }
}
