/// Unpacks a zlib stream (RFC 1950, RFC 1951), as compressed sections of ELF files hold it.
struct ZlibStream {
  private let input: [UInt8]
  private var place: Int
  /// Bits that were read and not yet used, the next one lowest.
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var output: [UInt8] = []
  private let size: Int
  /// How much room is made for the output before any of it is known to exist.
  private static let firstRoom = 1 << 20

  /// The `size` bytes that were packed into `input` from `start` on; nil where it does not unpack to just as many.
  static func unpacked(_ input: [UInt8], from start: Int, size: Int) -> [UInt8]? {
    guard start >= 0, input.count - start > 6 else { return nil }
    let (method, flags) = (UInt32(input[start]), UInt32(input[start + 1]))
    let (deflate, dictionary): (UInt32, UInt32) = (8, 0x20)
    guard method & 15 == deflate, (method << 8 | flags) % 31 == 0, flags & dictionary == 0 else { return nil }
    var stream = ZlibStream(input: input, place: start + 2, size: size)
    guard stream.unpack(), stream.output.count == size, stream.checksum() == Checksum.adler32(stream.output) else {
      return nil
    }
    return stream.output
  }

  private init(input: [UInt8], place: Int, size: Int) {
    (self.input, self.place, self.size) = (input, place, size)
    output.reserveCapacity(min(size, Self.firstRoom))
  }

  /// Unpacks block after block to the last one. Returns false at damage.
  private mutating func unpack() -> Bool {
    while true {
      guard let isLast = take(1), let kind = take(2) else { return false }
      let isGood =
        switch kind {
        case 0: copyStored()
        case 1: unpackBlock(.fixedLiterals, .fixedDistances)
        case 2: unpackBlockWithCodes()
        default: false
        }
      guard isGood else { return false }
      if isLast == 1 { return true }
    }
  }

  /// The checksum behind the last block, highest byte first.
  private mutating func checksum() -> UInt32? {
    skipToByte()
    var sum: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = take(8) else { return nil }
      sum = sum << 8 | UInt32(byte)
    }
    return sum
  }

  // MARK: Bits

  private mutating func fill() {
    while bitCount <= 56, place < input.count {
      bits |= UInt64(input[place]) << UInt64(bitCount)
      place += 1
      bitCount += 8
    }
  }

  private mutating func take(_ count: Int) -> Int? {
    if bitCount < count { fill() }
    guard bitCount >= count else { return nil }
    let value = bits & (1 << UInt64(count) - 1)
    drop(count)
    return Int(value)
  }

  private mutating func drop(_ count: Int) {
    bits >>= UInt64(count)
    bitCount -= count
  }

  private mutating func skipToByte() { drop(bitCount % 8) }

  private mutating func symbol(_ code: PrefixCode) -> Int? {
    if bitCount < PrefixCode.longest { fill() }
    guard let (symbol, length) = code.first(in: bits), length <= bitCount else { return nil }
    drop(length)
    return symbol
  }

  // MARK: Blocks

  private mutating func copyStored() -> Bool {
    skipToByte()
    guard let length = take(16), let inverse = take(16), length == ~inverse & 0xFFFF, length <= size - output.count
    else {
      return false
    }
    for _ in 0..<length {
      guard let byte = take(8) else { return false }
      output.append(UInt8(byte))
    }
    return true
  }

  /// Unpacks a block that brings its own codes, which are packed themselves.
  private mutating func unpackBlockWithCodes() -> Bool {
    guard let literals = take(5), let distances = take(5), let count = take(4) else { return false }
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    var lengths = [UInt8](repeating: 0, count: 19)
    for index in order.prefix(count + 4) {
      guard let length = take(3) else { return false }
      lengths[index] = UInt8(length)
    }
    guard let code = PrefixCode(lengths[...]) else { return false }
    let all = literals + 257 + distances + 1
    lengths = []
    while lengths.count < all {
      guard let symbol = symbol(code) else { return false }
      let (repeated, times): (UInt8, Int?)
      switch symbol {
      case 16:
        guard let last = lengths.last else { return false }
        (repeated, times) = (last, take(2).map { $0 + 3 })
      case 17: (repeated, times) = (0, take(3).map { $0 + 3 })
      case 18: (repeated, times) = (0, take(7).map { $0 + 11 })
      default: (repeated, times) = (UInt8(symbol), 1)
      }
      guard let times, times <= all - lengths.count else { return false }
      lengths.append(contentsOf: repeatElement(repeated, count: times))
    }
    guard let literalCode = PrefixCode(lengths.prefix(literals + 257)),
      let distanceCode = PrefixCode(lengths.dropFirst(literals + 257))
    else { return false }
    return unpackBlock(literalCode, distanceCode)
  }

  private mutating func unpackBlock(_ literals: PrefixCode, _ distances: PrefixCode) -> Bool {
    let end = 256
    while true {
      guard let symbol = symbol(literals) else { return false }
      if symbol < end {
        guard output.count < size else { return false }
        output.append(UInt8(symbol))
        continue
      }
      if symbol == end { return true }
      guard symbol - 257 < Self.lengths.count, let extra = take(Self.lengths[symbol - 257].bits),
        let step = self.symbol(distances), step < Self.distances.count, let far = take(Self.distances[step].bits)
      else { return false }
      let length = Self.lengths[symbol - 257].first + extra
      let distance = Self.distances[step].first + far
      guard distance <= output.count, length <= size - output.count else { return false }
      // What is copied may be what was copied just before.
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  /// What a symbol stands for: the least value, and how many bits behind it are added.
  private typealias Values = [(first: Int, bits: Int)]

  /// Lengths by symbol, from 257 on (RFC 1951, section 3.2.5).
  private static let lengths: Values = values(from: 3, firstBits: 4, each: 4, count: 28) + [(258, 0)]
  /// Distances by symbol.
  private static let distances: Values = values(from: 1, firstBits: 2, each: 2, count: 30)

  /// `each` symbols after the other have as many bits, and the next `each` one more; the first `firstBits` have none.
  private static func values(from least: Int, firstBits: Int, each: Int, count: Int) -> Values {
    var (values, first): (Values, Int) = ([], least)
    for symbol in 0..<count {
      let bits = max(0, (symbol - firstBits) / each)
      values.append((first, bits))
      first += 1 << bits
    }
    return values
  }
}
