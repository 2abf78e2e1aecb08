/// Packs bytes as a gzip file (RFC 1952) of stored blocks (RFC 1951): readers that ask for gzip take it, and it needs no
/// library. It is not smaller than the bytes.
enum Gzip {
  /// The most bytes in a stored block.
  private static let longestBlock = 0xFFFF

  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    // The method is deflate; no flags, no time, an unknown system.
    var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    file.reserveCapacity(bytes.count + bytes.count / longestBlock * 5 + 32)
    var place = 0
    repeat {
      let end = min(place + longestBlock, bytes.count)
      let length = UInt16(end - place)
      file.append(end == bytes.count ? 1 : 0)
      append(length, to: &file)
      append(~length, to: &file)
      file += bytes[place..<end]
      place = end
    } while place < bytes.count
    append(checksum(bytes), to: &file)
    append(UInt32(truncatingIfNeeded: bytes.count), to: &file)
    return file
  }

  private static func append(_ number: some FixedWidthInteger, to file: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { file += $0 }
  }

  /// CRC-32 as in RFC 1952, section 8.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8) }
    return ~sum
  }

  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
  }
}
