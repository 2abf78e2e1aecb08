/// The debug sections of one file, as DWARF 2 to 5 lay them out; empty where the file has none.
struct DwarfSections {
  let info: [UInt8]
  let abbreviations: [UInt8]
  let lines: [UInt8]
  let strings: [UInt8]
  let lineStrings: [UInt8]
  let stringOffsets: [UInt8]
  let addresses: [UInt8]
  /// Ranges of units up to DWARF 4.
  let ranges: [UInt8]
  /// Ranges of units from DWARF 5 on.
  let rangeLists: [UInt8]
  /// How much of them may still be read.
  let work: DwarfWork

  /// The sections of a file; nil where it has no debug information that can be read.
  init?(_ sections: ElfSections) {
    guard let info = sections.bytes(of: ".debug_info"), let abbreviations = sections.bytes(of: ".debug_abbrev") else {
      return nil
    }
    self.info = info
    self.abbreviations = abbreviations
    lines = sections.bytes(of: ".debug_line") ?? []
    strings = sections.bytes(of: ".debug_str") ?? []
    lineStrings = sections.bytes(of: ".debug_line_str") ?? []
    stringOffsets = sections.bytes(of: ".debug_str_offsets") ?? []
    addresses = sections.bytes(of: ".debug_addr") ?? []
    ranges = sections.bytes(of: ".debug_ranges") ?? []
    rangeLists = sections.bytes(of: ".debug_rnglists") ?? []
    let all = [info, abbreviations, lines, strings, lineStrings, stringOffsets, addresses, ranges, rangeLists]
    work = DwarfWork(size: all.reduce(0) { $0 + $1.count })
  }

  /// The text that a value of a line table's header gives or points to.
  func lineText(_ value: DwarfValue) -> String? {
    switch value.form {
    case DwarfForm.string: text(at: value.number, of: \.lines)
    case DwarfForm.stringPointer: text(at: value.number, of: \.strings)
    case DwarfForm.lineStringPointer: text(at: value.number, of: \.lineStrings)
    default: nil
    }
  }

  /// The zero-terminated text at `offset` of `section`.
  func text(at offset: UInt64, of section: KeyPath<DwarfSections, [UInt8]>) -> String? {
    let bytes = self[keyPath: section]
    guard offset < UInt64(bytes.count) else { return nil }
    var cursor = ByteCursor(bytes, from: Int(offset))
    return cursor.text()
  }
}
