import StallwatchCore

/// Appends numbers of variable length: seven bits a byte, low bits first, the eighth bit set when more follow.
struct LiveWriter {
  private(set) var bytes: [UInt8] = []

  /// Begins anew in the same memory: a heap that gives large pieces is slow.
  mutating func begin() { bytes.removeAll(keepingCapacity: true) }

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  mutating func append(_ more: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: more) }

  /// Changes bytes that are there.
  mutating func replace(at offset: Int, by other: [UInt8]) {
    bytes.replaceSubrange(offset..<offset + other.count, with: other)
  }

  mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func put(_ numbers: UInt64...) {
    for number in numbers { put(number) }
  }

  /// A row's number, or a count: not negative.
  mutating func put(_ row: Int64) { put(UInt64(clamping: row)) }

  /// A number that is near one that the reader knows: the difference, whose lowest bit is its sign.
  mutating func put(_ number: UInt64, near known: UInt64) { put(LiveDifference.encode(number, from: known)) }

  /// A time that mostly is a whole number of seconds or milliseconds: how often a thousand divides it, up to three
  /// times, in the lowest two bits, and what is left. It stops at 146 years.
  mutating func putRound(_ time: Nanoseconds) {
    var (rest, thousands) = (min(time, 1 << 62 - 1), 0 as UInt64)
    while thousands < 3, rest > 0, rest.isMultiple(of: 1_000) { (rest, thousands) = (rest / 1_000, thousands + 1) }
    put(rest << 2 | thousands)
  }

  mutating func put(_ text: String) {
    put(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func put<Value>(_ value: Value?, _ body: (inout LiveWriter, Value) -> Void) {
    put(value == nil ? 0 : 1 as UInt64)
    if let value { body(&self, value) }
  }

  mutating func put<List: Collection>(_ list: List, _ body: (inout LiveWriter, List.Element) -> Void) {
    put(UInt64(list.count))
    for value in list { body(&self, value) }
  }
}

/// The difference of two numbers as one that is small if they are near each other, whichever is the greater one.
enum LiveDifference {
  static func encode(_ number: UInt64, from known: UInt64) -> UInt64 {
    let difference = Int64(bitPattern: number &- known)
    return UInt64(bitPattern: difference << 1 ^ difference >> 63)
  }

  static func decode(_ code: UInt64, from known: UInt64) -> UInt64 {
    known &+ (code >> 1 ^ (0 &- code & 1))
  }
}
