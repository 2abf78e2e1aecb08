import StallwatchCore

/// Whole numbers as the page's script reads them: seven bits a byte, the lowest first, the highest bit set on all but a
/// number's last byte (LEB128), and the bytes in base 64 (RFC 4648).
struct PackedNumbers {
  private var bytes: [UInt8] = []

  /// None.
  init() {}

  /// Packs these numbers.
  init(_ numbers: some Sequence<Int>) { for number in numbers { add(number) } }

  /// Adds a number that is not negative.
  mutating func add(_ number: some BinaryInteger) {
    var rest = UInt64(clamping: number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Adds a number of either sign: 0, -1, 1, -2 … as 0, 1, 2, 3 …
  mutating func add(signed number: Int64) { add(UInt64(bitPattern: (number << 1) ^ (number >> 63))) }

  /// Adds a time in microseconds, which is finer than a pixel.
  mutating func add(time: Nanoseconds) { add(time / .microsecond) }

  /// Adds bytes, where more than three alike are 255, the byte, and how many. Bytes are less than 255.
  mutating func add(runsOf levels: [UInt8]) {
    var place = 0
    while place < levels.count {
      let level = levels[place]
      let end = levels[place...].firstIndex { $0 != level } ?? levels.count
      if end - place > 3 {
        bytes += [255, level]
        add(end - place)
      } else {
        bytes += levels[place..<end]
      }
      place = end
    }
  }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The text.
  var text: String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for place in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[place..<min(place + 3, bytes.count)]
      let bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - part.count))
      for digit in 0..<4 {
        text.append(
          digit <= part.count ? Self.digits[Int(bits >> UInt32(18 - 6 * digit) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
