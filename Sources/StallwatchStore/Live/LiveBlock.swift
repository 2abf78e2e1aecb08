import StallwatchCore

/// A block of a live region: a head, then pieces of figures. A block is one page, so that a sudden death finds it either
/// as it was or as it was to be.
enum LiveBlock {
  /// A page of memory on every system that this runs on is at least so long.
  static let length = 4_096
  static let headLength = 32
  /// The bytes of pieces that a block has room for.
  static let room = length - headLength
  static let emptyHead = [UInt8](repeating: 0, count: headLength)

  /// What stands in a block.
  struct Contents {
    /// Grows with every block that is written.
    var sequence: UInt64
    /// How often figures had come into the store before these.
    var closings: Int64
    var bytes: [UInt8]
  }

  /// The head of `bytes`.
  static func head(of bytes: ArraySlice<UInt8>, sequence: UInt64, closings: Int64) -> [UInt8] {
    let closings = UInt64(bitPattern: closings)
    return [sequence, closings, UInt64(bytes.count), checksum(bytes, seed: sequence ^ closings << 32)]
      .flatMap { Self.bytes(of: $0) }
  }

  /// What stands in a block whose bytes these are; nil when it is not whole, or was never written.
  static func read(_ block: ArraySlice<UInt8>) -> Contents? {
    let block = Array(block)
    guard block.count >= headLength else { return nil }
    let (sequence, closings) = (number(block, at: 0), number(block, at: 8))
    let (length, sum) = (number(block, at: 16), number(block, at: 24))
    guard sequence > 0, length <= UInt64(block.count - headLength) else { return nil }
    let bytes = block[headLength..<headLength + Int(length)]
    guard checksum(bytes, seed: sequence ^ closings << 32) == sum else { return nil }
    return Contents(sequence: sequence, closings: Int64(bitPattern: closings), bytes: Array(bytes))
  }

  /// Whether something was written into a block.
  static func isUsed(_ block: ArraySlice<UInt8>) -> Bool { block.prefix(headLength).contains { $0 != 0 } }

  /// FNV-1a over words of eight bytes instead of bytes, which is as good against a torn write, and eight times as fast.
  private static func checksum(_ bytes: ArraySlice<UInt8>, seed: UInt64) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325 ^ seed
    bytes.withUnsafeBytes { raw in
      var place = 0
      while place + 8 <= raw.count {
        sum =
          (sum ^ UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))) &* 0x0100_0000_01b3
        sum ^= sum >> 29
        place += 8
      }
      for byte in raw[place...] { sum = (sum ^ UInt64(byte)) &* 0x0100_0000_01b3 }
    }
    return sum
  }

  static func bytes(of number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian, Array.init) }

  static func number(_ bytes: [UInt8], at offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) })
  }
}
