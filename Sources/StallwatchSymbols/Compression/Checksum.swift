/// Checksums by which a file's parts are told to be whole.
enum Checksum {
  /// Adler-32 of RFC 1950.
  static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    var start = 0
    while start < bytes.count {
      // The most bytes after which neither sum has left 32 bits.
      let end = min(start + 5_552, bytes.count)
      for byte in bytes[start..<end] {
        low += UInt32(byte)
        high += low
      }
      (low, high) = (low % 65_521, high % 65_521)
      start = end
    }
    return high << 16 | low
  }

  /// The CRC-32 of ISO 3309, which `.gnu_debuglink` holds, of the bytes before and these.
  static func crc32(_ bytes: [UInt8], after earlier: UInt32 = 0) -> UInt32 {
    var sum = ~earlier
    for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8 }
    return ~sum
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : 0xEDB8_8320 ^ sum >> 1 }
  }
}
