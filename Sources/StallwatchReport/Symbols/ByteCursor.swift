/// Reads little-endian numbers one after the other. Reading beyond the end gives zeroes and marks the cursor as broken, so
/// that a damaged file ends a loop instead of the program.
struct ByteCursor {
  /// What is read.
  let bytes: [UInt8]
  /// Where the next number is.
  private(set) var offset: Int
  /// Nothing is read from here on.
  let end: Int
  /// Whether something beyond the end was asked for.
  private(set) var isBroken = false

  /// A cursor over `bytes` from `offset` up to `end`, both cut to what there is.
  init(_ bytes: [UInt8], from offset: Int = 0, to end: Int = .max) {
    self.bytes = bytes
    self.end = max(0, min(end, bytes.count))
    self.offset = min(max(0, offset), self.end)
    isBroken = self.offset != offset
  }

  /// Whether nothing is left, or something was missing.
  var isAtEnd: Bool { offset >= end || isBroken }

  /// The next byte.
  mutating func byte() -> UInt8 {
    guard offset < end else {
      isBroken = true
      return 0
    }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// The next number of `width` bytes, 1 to 8.
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

  /// The next unsigned LEB128 number; bits beyond the 64th are dropped.
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

  /// The next signed LEB128 number; bits beyond the 64th are dropped.
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

  /// The longest text that is read: names and paths are shorter.
  private static let longestText = 65_536

  /// The next zero-terminated text. One that is too long breaks the cursor.
  mutating func text() -> String {
    guard let length = bytes[offset..<end].prefix(Self.longestText).firstIndex(of: 0).map({ $0 - offset }) else {
      skip(.max)
      return ""
    }
    defer { offset += length + 1 }
    return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
  }

  /// Passes over a zero-terminated text.
  mutating func skipText() {
    while byte() != 0, !isBroken {}
  }

  /// Passes over `count` bytes.
  mutating func skip(_ count: UInt64) {
    guard count <= UInt64(end - offset) else {
      isBroken = true
      offset = end
      return
    }
    offset += Int(count)
  }

  /// Goes to `offset`.
  mutating func move(to offset: Int) {
    isBroken = isBroken || offset < 0 || offset > end
    self.offset = min(max(0, offset), end)
  }
}
