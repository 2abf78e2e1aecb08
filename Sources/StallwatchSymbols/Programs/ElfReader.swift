/// Reads the tables of a 64-bit little-endian ELF file (`elf(5)`). Returns nil wherever the file contradicts itself.
struct ElfReader {
  /// The most entries of a table; more means damage. Large programs have a few dozen segments and some thousand
  /// sections at most.
  private static let mostEntries = 65_536
  /// The most bytes of dynamic strings, section names and notes.
  private static let largestTable: UInt64 = 16 << 20
  /// The most libraries and search paths; more means damage.
  private static let mostDynamicStrings = 1_024
  /// The most notes and their bytes. Linkers make a few notes of some hundred bytes each.
  private static let (mostNotes, largestNotes): (Int, UInt64) = (64, 1 << 16)
  /// The longest build-id, in bytes. Linkers make 8 to 32.
  private static let longestBuildID = 64

  let machine: ElfImage.Machine
  private let file: BinaryFile
  private let header: BinaryPiece

  init?(file: BinaryFile) {
    guard let start = file.bytes(at: 0, count: 20), start.bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]),
      start.bytes[5] == 1, [1, 2].contains(start.bytes[4]), let processor = start.number(UInt16.self, at: 18)
    else { return nil }
    machine = ElfImage.Machine(processor: processor, bits: start.bytes[4] == 2 ? 64 : 32)
    guard machine.bits == 64 else {
      header = start
      self.file = file
      return
    }
    guard let header = file.bytes(at: 0, count: 64) else { return nil }
    self.header = header
    self.file = file
  }

  /// A part of the file that the loader loads or reads.
  struct Segment {
    /// The purpose (`p_type`).
    enum Kind: UInt32 {
      case load = 1
      case dynamic = 2
      case interpreter = 3
      case note = 4
    }
    var kind: Kind
    var offset: UInt64
    var address: UInt64
    var size: UInt64
  }

  /// The segments of the kinds in ``Segment/Kind``.
  func segments() -> [Segment]? {
    guard let offset = header.number(UInt64.self, at: 32), let width = header.number(UInt16.self, at: 54),
      let count = header.number(UInt16.self, at: 56), count == 0 || width >= 56,
      let table = file.bytes(at: offset, count: UInt64(width) * UInt64(count))
    else { return nil }
    var segments: [Segment] = []
    for index in 0..<Int(count) {
      let start = index * Int(width)
      guard let rawKind = table.number(UInt32.self, at: start), let kind = Segment.Kind(rawValue: rawKind) else {
        continue
      }
      guard let offset = table.number(UInt64.self, at: start + 8),
        let address = table.number(UInt64.self, at: start + 16),
        let size = table.number(UInt64.self, at: start + 32)
      else { return nil }
      segments.append(Segment(kind: kind, offset: offset, address: address, size: size))
    }
    return segments
  }

  /// The zero-terminated text in a segment.
  func text(of segment: Segment) -> String? {
    guard segment.size <= 4096 else { return nil }
    return file.bytes(at: segment.offset, count: segment.size)?.string(at: 0)
  }

  /// A text in the dynamic section.
  struct DynamicString {
    /// The meaning (`d_tag`).
    enum Tag: UInt64 {
      case needed = 1
      case rPath = 15
      case runPath = 29
    }
    var tag: Tag
    var text: String
  }

  /// The texts of the dynamic section, in the order of the file.
  func dynamicStrings(of dynamic: Segment, segments: [Segment]) -> [DynamicString]? {
    let stringTableTag: UInt64 = 5
    let stringSizeTag: UInt64 = 10
    guard dynamic.size <= UInt64(Self.mostEntries) * 16, let table = file.bytes(at: dynamic.offset, count: dynamic.size)
    else { return nil }

    var pointers: [(tag: DynamicString.Tag, offset: UInt64)] = []
    var stringsAddress: UInt64?
    var stringsSize: UInt64?
    for start in stride(from: 0, through: table.bytes.count - 16, by: 16) {
      guard let tag = table.number(UInt64.self, at: start), let value = table.number(UInt64.self, at: start + 8),
        tag != 0
      else { break }
      if tag == stringTableTag { stringsAddress = value }
      if tag == stringSizeTag { stringsSize = value }
      if let tag = DynamicString.Tag(rawValue: tag) { pointers.append((tag, value)) }
    }
    guard pointers.count <= Self.mostDynamicStrings else { return nil }
    if pointers.isEmpty { return [] }
    guard let stringsAddress, let stringsSize, stringsSize <= Self.largestTable,
      let offset = Self.offset(of: stringsAddress, in: segments),
      let strings = file.bytes(at: offset, count: stringsSize)
    else { return nil }
    return pointers.compactMap { pointer in
      Int(exactly: pointer.offset).flatMap { strings.string(at: $0) }.map { DynamicString(tag: pointer.tag, text: $0) }
    }
  }

  /// The file offset of the byte that is loaded at `address`.
  private static func offset(of address: UInt64, in segments: [Segment]) -> UInt64? {
    for segment in segments where segment.kind == .load && address >= segment.address {
      let distance = address - segment.address
      guard distance < segment.size else { continue }
      let (offset, overflow) = segment.offset.addingReportingOverflow(distance)
      return overflow ? nil : offset
    }
    return nil
  }

  /// The GNU build-id in lower-case hexadecimal; nil where there is none.
  func buildID(in segments: [Segment]) -> String? {
    for segment in segments.filter({ $0.kind == .note }).prefix(Self.mostNotes) {
      guard segment.size <= Self.largestNotes, let notes = file.bytes(at: segment.offset, count: segment.size)
      else { continue }
      if let found = Self.buildID(in: notes) { return found }
    }
    return nil
  }

  private static func buildID(in notes: BinaryPiece) -> String? {
    let buildIDNote: UInt32 = 3
    var start = 0
    while let nameSize = notes.number(UInt32.self, at: start), let size = notes.number(UInt32.self, at: start + 4),
      let kind = notes.number(UInt32.self, at: start + 8), nameSize < largestTable, size < largestTable
    {
      let content = start + 12 + padded(Int(nameSize))
      guard content + Int(size) <= notes.bytes.count else { return nil }
      if kind == buildIDNote, size <= longestBuildID, notes.string(at: start + 12) == "GNU" {
        let digits = notes.bytes[content..<content + Int(size)].map { byte in
          (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return digits.isEmpty ? nil : digits.joined()
      }
      start = content + padded(Int(size))
    }
    return nil
  }

  private static func padded(_ size: Int) -> Int { (size + 3) & ~3 }

  /// Whether a section's name begins with `prefix`. Also false where the table was stripped or makes no sense.
  func hasSection(prefix: String) -> Bool {
    guard let offset = header.number(UInt64.self, at: 40), let width = header.number(UInt16.self, at: 58),
      let count = header.number(UInt16.self, at: 60), let namesIndex = header.number(UInt16.self, at: 62),
      width >= 64, namesIndex < count,
      let table = file.bytes(at: offset, count: UInt64(width) * UInt64(count))
    else { return false }
    let names = Int(namesIndex) * Int(width)
    guard let namesOffset = table.number(UInt64.self, at: names + 24),
      let namesSize = table.number(UInt64.self, at: names + 32),
      let strings = file.bytes(at: namesOffset, count: namesSize)
    else { return false }
    return (0..<Int(count)).contains { index in
      let name = table.number(UInt32.self, at: index * Int(width)).flatMap {
        strings.string(at: Int($0), longest: ElfSections.longestName)
      }
      return name?.hasPrefix(prefix) == true
    }
  }
}
