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
    var entrySize: UInt64
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
    let (noBits, compressed): (UInt32, UInt64) = (8, 0x800)
    for index in 0..<Int(count) {
      let start = index * Int(width)
      guard let nameOffset = table.number(UInt32.self, at: start),
        let name = names.string(at: Int(nameOffset), longest: Self.longestName),
        let kind = table.number(UInt32.self, at: start + 4), let flags = table.number(UInt64.self, at: start + 8),
        let offset = table.number(UInt64.self, at: start + 24), let size = table.number(UInt64.self, at: start + 32),
        let entrySize = table.number(UInt64.self, at: start + 56), kind != noBits, flags & compressed == 0
      else { continue }
      places[name] = Place(offset: offset, size: size, entrySize: entrySize)
    }
  }

  /// Whether the section exists with readable content: not empty, not compressed, not left out of the file.
  func has(_ name: String) -> Bool { (places[name]?.size ?? 0) > 0 }

  /// The content of a section; nil where there is none, or where the file does not hold all of it.
  func bytes(of name: String) -> [UInt8]? {
    guard let place = places[name] else { return nil }
    let bytes = file.bytes(at: place.offset, count: place.size, limit: reading.left)?.bytes
    reading.left -= UInt64(bytes?.count ?? 0)
    return bytes
  }
}
