import SeededNumbers

/// A seed with some of its parts changed.
struct Mutant {
  private(set) var bytes: [UInt8]

  /// Numbers at which arithmetic and limits go wrong.
  private static let edges: [UInt64] = [
    0, 1, 2, 7, 8, 0x7F, 0x80, 0xFF, 0xFFFF, 0x10000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF0, 0xFFFF_FFFF, 1 << 32,
    1 << 40,
    .max >> 1, 1 << 63, .max - 1, .max,
  ]

  /// The mutant that `random` makes of `seed`.
  init(of seed: Seed, by random: inout RandomNumbers) {
    bytes = seed.bytes
    for _ in 0..<Int.random(in: 1...12, using: &random) { change(Self.part(of: seed, &random), &random) }
    if Int.random(in: 0..<40, using: &random) == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
  }

  private static func part(of seed: Seed, _ random: inout RandomNumbers) -> Range<Int> {
    var left = Int.random(in: 0..<seed.parts.reduce(0) { $0 + $1.weight }, using: &random)
    for part in seed.parts {
      left -= part.weight
      if left < 0 { return part.range }
    }
    return 0..<seed.bytes.count
  }

  private mutating func change(_ part: Range<Int>, _ random: inout RandomNumbers) {
    guard !part.isEmpty else { return }
    let place = Int.random(in: part, using: &random)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: bytes[place] = .random(in: 0...255, using: &random)
    case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2, 3:
      let width = [1, 2, 4, 8].randomElement(using: &random) ?? 1
      let aligned = part.lowerBound + (place - part.lowerBound) / width * width
      put(Self.edges.randomElement(using: &random) ?? 0, width, at: aligned)
    case 4:
      // A number in LEB128 without an end, or with one far away.
      for offset in 0..<Int.random(in: 1...12, using: &random) { put(0xFF, 1, at: place + offset) }
    case 5:
      let length = Int.random(in: 1...64, using: &random)
      let from = Int.random(in: part, using: &random)
      for offset in 0..<length where from + offset < part.upperBound && place + offset < part.upperBound {
        bytes[place + offset] = bytes[from + offset]
      }
    default:
      for offset in 0..<Int.random(in: 1...64, using: &random) where place + offset < part.upperBound {
        bytes[place + offset] = 0
      }
    }
  }

  private mutating func put(_ number: UInt64, _ width: Int, at place: Int) {
    for offset in 0..<width where place + offset < bytes.count {
      bytes[place + offset] = UInt8(truncatingIfNeeded: number >> UInt64(8 * offset))
    }
  }
}
