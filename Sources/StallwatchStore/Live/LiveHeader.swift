import StallwatchCore

/// The first bytes of a live region: what it is, and of which session.
struct LiveHeader: Equatable {
  var session: Int64
  /// When the session began, on the monotonic clock: a store in another one's place has other sessions.
  var startedNs: Nanoseconds

  /// The ASCII letters `StlwLive`, and the version of the layout.
  private static let magic: UInt64 = 0x5374_6c77_4c69_7665
  private static let version: UInt64 = 1
  private static let length = 32
  /// The header has a page of its own, and each of the two places begins at one.
  private static let pageSize = 4_096
  private static let slotLength = (LiveRegion.capacity + LiveSlot.headLength + pageSize - 1) / pageSize * pageSize
  /// The file's length in bytes.
  static let fileLength = pageSize + 2 * slotLength

  /// Where figures with this number lie.
  static func slotOffset(_ sequence: UInt64) -> Int { pageSize + Int(sequence % 2) * slotLength }

  init(session: Int64, startedNs: Nanoseconds) {
    self.session = session
    self.startedNs = startedNs
  }

  var bytes: [UInt8] {
    [Self.magic, Self.version, UInt64(bitPattern: session), startedNs].flatMap { LiveSlot.bytes(of: $0) }
  }

  /// The header of a file; nil when it is another kind of file.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.length else { return nil }
    let words = (0..<4).map { LiveSlot.number(bytes, at: $0 * 8) }
    guard words[0] == Self.magic, words[1] == Self.version else { return nil }
    self.init(session: Int64(bitPattern: words[2]), startedNs: words[3])
  }
}

/// One of the two places for figures in a live region: a head, then the bytes.
enum LiveSlot {
  static let headLength = 24
  static let emptyHead = [UInt8](repeating: 0, count: headLength)

  /// The head of `bytes`: their number, length and checksum.
  static func head(of bytes: ArraySlice<UInt8>, sequence: UInt64) -> [UInt8] {
    [sequence, UInt64(bytes.count), checksum(bytes, sequence: sequence)].flatMap { Self.bytes(of: $0) }
  }

  /// The figures of the place whose bytes these are, and their number; nil unless they are whole.
  static func read(_ bytes: ArraySlice<UInt8>) -> (sequence: UInt64, bytes: [UInt8])? {
    let slot = Array(bytes)
    guard slot.count >= headLength else { return nil }
    let (sequence, length, sum) = (number(slot, at: 0), number(slot, at: 8), number(slot, at: 16))
    guard sequence > 0, length <= UInt64(slot.count - headLength) else { return nil }
    let figures = slot[headLength..<headLength + Int(length)]
    return checksum(figures, sequence: sequence) == sum ? (sequence, Array(figures)) : nil
  }

  /// FNV-1a over words of eight bytes instead of bytes, which is as good against a torn write, and eight times as fast.
  private static func checksum(_ bytes: ArraySlice<UInt8>, sequence: UInt64) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325 ^ sequence
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
