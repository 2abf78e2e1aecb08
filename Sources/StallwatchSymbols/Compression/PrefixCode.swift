/// A prefix code of RFC 1951: symbols by their bits, of which the first is the lowest.
struct PrefixCode {
  /// The most bits of a symbol.
  static let longest = 15
  /// By the next ``width`` bits: the symbol times 16 plus its length; 0 where no symbol has such bits.
  private var table: [UInt16]
  private let width: Int

  /// The code in which each symbol has so many bits; 0 for a symbol that does not occur. Nil where there is no such code.
  init?(_ lengths: ArraySlice<UInt8>) {
    var counts = [Int](repeating: 0, count: Self.longest + 1)
    for length in lengths {
      guard length <= Self.longest else { return nil }
      counts[Int(length)] += 1
    }
    counts[0] = 0
    width = max(1, counts.lastIndex { $0 > 0 } ?? 0)
    table = [UInt16](repeating: 0, count: 1 << width)
    var (next, code) = ([Int](repeating: 0, count: Self.longest + 1), 0)
    for length in 1...Self.longest {
      code = (code + counts[length - 1]) << 1
      next[length] = code
      // More symbols than so many bits can tell apart.
      guard code + counts[length] <= 1 << length else { return nil }
    }
    for (symbol, length) in lengths.enumerated() where length > 0 {
      let first = Self.reversed(next[Int(length)], Int(length))
      next[Int(length)] += 1
      for place in stride(from: first, to: table.count, by: 1 << Int(length)) {
        table[place] = UInt16(symbol << 4) | UInt16(length)
      }
    }
  }

  /// The symbol whose bits come first in `bits`, and how many they are; nil where there is none.
  func first(in bits: UInt64) -> (symbol: Int, length: Int)? {
    let entry = table[Int(bits & UInt64(table.count - 1))]
    return entry == 0 ? nil : (Int(entry >> 4), Int(entry & 15))
  }

  private static func reversed(_ code: Int, _ length: Int) -> Int {
    (0..<length).reduce(0) { $0 << 1 | (code >> $1 & 1) }
  }

  /// The codes of blocks that bring none (RFC 1951, section 3.2.6).
  static let fixedLiterals = fixed([(144, 8), (112, 9), (24, 7), (8, 8)])
  static let fixedDistances = fixed([(30, 5)])

  private static func fixed(_ runs: [(count: Int, length: UInt8)]) -> PrefixCode {
    let lengths = runs.flatMap { repeatElement($0.length, count: $0.count) }
    guard let code = PrefixCode(lengths[...]) else { preconditionFailure("these lengths are a code") }
    return code
  }
}
