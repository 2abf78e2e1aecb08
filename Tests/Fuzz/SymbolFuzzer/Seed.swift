/// A program or library that was built well, and where its parts are.
struct Seed {
  /// The file.
  let bytes: [UInt8]
  /// The parts that say something, with how often each is to be changed.
  let parts: [(range: Range<Int>, weight: Int)]
  /// Addresses of its code.
  let code: Range<UInt64>

  /// What is known of an ELF file that is well; nil for anything else.
  init?(_ bytes: [UInt8]) {
    func number(_ place: Int, _ width: Int) -> Int {
      guard place >= 0, place + width <= bytes.count else { return 0 }
      return (0..<width).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { return nil }
    let (programs, sections) = (number(32, 8), number(40, 8))
    let (programCount, sectionCount, namesIndex) = (number(56, 2), number(60, 2), number(62, 2))
    var parts: [(range: Range<Int>, weight: Int)] = [
      (16..<64, 2), (programs..<programs + 56 * programCount, 3), (sections..<sections + 64 * sectionCount, 8),
    ]
    var code: Range<UInt64> = 0..<1
    let names = number(sections + 64 * namesIndex + 24, 8)
    for index in 0..<sectionCount {
      let header = sections + 64 * index
      let (offset, size) = (number(header + 24, 8), number(header + 32, 8))
      var end = names + number(header, 4)
      let start = end
      while end < bytes.count, bytes[end] != 0 { end += 1 }
      let name = String(decoding: bytes[start..<end], as: UTF8.self)
      if name == ".text" {
        let address = UInt64(number(header + 16, 8))
        code = address..<address + UInt64(max(size, 1))
      }
      guard size > 0, offset + size <= bytes.count, let weight = Self.weights[name] else { continue }
      parts.append((offset..<offset + size, weight))
    }
    (self.bytes, self.parts, self.code) = (bytes, parts.filter { $0.range.upperBound <= bytes.count }, code)
  }

  private static let weights = [
    ".debug_abbrev": 10, ".debug_info": 10, ".debug_line": 10, ".debug_str_offsets": 4, ".debug_rnglists": 6,
    ".debug_ranges": 6, ".debug_addr": 3, ".debug_str": 1, ".debug_line_str": 2, ".symtab": 4, ".strtab": 3,
    ".dynsym": 2,
    ".dynamic": 4, ".gnu_debuglink": 4, ".dynstr": 2, ".shstrtab": 3, ".note.gnu.build-id": 1, ".interp": 1,
  ]
}
