/// The sections of a 64-bit little-endian ELF file by name. Checks every piece against the file's size.
struct ElfSections {
  private let file: BinaryFile
  private var places: [String: Place] = [:]
  /// The most sections; more means damage. Large programs have some thousands.
  private static let mostSections: UInt16 = 32_768
  /// The longest section name, in bytes. The names looked up here have at most 18.
  static let longestName = 64
  /// The bytes that may still be read, of all sections together. The debug information of the largest known programs
  /// has some hundred megabytes. A file can be longer than its disk, and its sections can all be the same bytes.
  private let reading = Reading()

  private final class Reading {
    var left: UInt64 = 768 << 20
  }

  private struct Place {
    var offset: UInt64
    var size: UInt64
    /// The size that it unpacks to; nil where it is not packed.
    var unpackedSize: UInt64?
  }

  /// Reads the section table of `file`; has no sections where the table makes no sense.
  init(file: BinaryFile) {
    self.file = file
    guard let header = file.bytes(at: 0, count: 64), header.bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
      let offset = header.number(UInt64.self, at: 40), let width = header.number(UInt16.self, at: 58),
      let count = header.number(UInt16.self, at: 60), let namesIndex = header.number(UInt16.self, at: 62),
      width >= 64, count <= Self.mostSections, namesIndex < count,
      let table = file.bytes(at: offset, count: UInt64(width) * UInt64(count))
    else { return }
    let namesStart = Int(namesIndex) * Int(width)
    guard let namesOffset = table.number(UInt64.self, at: namesStart + 24),
      let namesSize = table.number(UInt64.self, at: namesStart + 32),
      let names = file.bytes(at: namesOffset, count: namesSize)
    else { return }
    let noBits: UInt32 = 8
    for index in 0..<Int(count) {
      let start = index * Int(width)
      guard let nameOffset = table.number(UInt32.self, at: start),
        let name = names.string(at: Int(nameOffset), longest: Self.longestName),
        let kind = table.number(UInt32.self, at: start + 4), let flags = table.number(UInt64.self, at: start + 8),
        let offset = table.number(UInt64.self, at: start + 24), let size = table.number(UInt64.self, at: start + 32),
        kind != noBits, let place = place(offset: offset, size: size, flags: flags)
      else { continue }
      places[name] = place
    }
  }

  /// Where a section's content is; nil where it is packed in a way that is not read.
  private func place(offset: UInt64, size: UInt64, flags: UInt64) -> Place? {
    let (packed, zlib): (UInt64, UInt32) = (0x800, 1)
    guard flags & packed != 0 else { return Place(offset: offset, size: size) }
    guard size > Self.packingHeader, let header = file.bytes(at: offset, count: Self.packingHeader),
      header.number(UInt32.self, at: 0) == zlib, let unpacked = header.number(UInt64.self, at: 8),
      unpacked / Self.mostPacked <= size
    else { return nil }
    return Place(offset: offset, size: size, unpackedSize: unpacked)
  }

  /// How many times its packed size a section may have; more means damage. Debug information packs to a quarter or so.
  private static let mostPacked: UInt64 = 64
  /// The bytes before a packed section's content: how it is packed, the size it unpacks to, and its alignment.
  private static let packingHeader: UInt64 = 24

  /// Whether the section exists with readable content: not empty, not left out of the file, not packed in an unknown
  /// way.
  func has(_ name: String) -> Bool { (places[name]?.size ?? 0) > 0 }

  /// The content of a section; nil where there is none, or where the file does not hold all of it.
  func bytes(of name: String) -> [UInt8]? {
    guard let place = places[name] else { return nil }
    let bytes = file.bytes(at: place.offset, count: place.size, limit: reading.left)?.bytes
    reading.left -= UInt64(bytes?.count ?? 0)
    guard let bytes, let size = place.unpackedSize else { return bytes }
    guard size <= reading.left else { return nil }
    let unpacked = ZlibStream.unpacked(bytes, from: Int(Self.packingHeader), size: Int(size))
    reading.left -= UInt64(unpacked?.count ?? 0)
    return unpacked
  }
}
