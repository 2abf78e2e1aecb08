/// The debug sections of one file, as DWARF 2 to 5 lay them out. A missing section is empty.
struct DwarfSections {
  let info: [UInt8]
  let abbreviations: [UInt8]
  let lines: [UInt8]
  let strings: [UInt8]
  let lineStrings: [UInt8]
  let stringOffsets: [UInt8]
  let addresses: [UInt8]
  /// Address ranges up to DWARF 4.
  let ranges: [UInt8]
  /// Address ranges from DWARF 5 on.
  let rangeLists: [UInt8]
  /// The budget of bytes that may still be read.
  let work: DwarfWork

  /// The sections of a file; nil where it has no readable debug information.
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

  /// The text that a value in a line table's header holds or points to.
  func lineText(_ value: DwarfValue) -> String? {
    switch value.form {
    case DwarfForm.string: text(at: value.number, of: \.lines)
    case DwarfForm.stringPointer: text(at: value.number, of: \.strings)
    case DwarfForm.lineStringPointer: text(at: value.number, of: \.lineStrings)
    default: nil
    }
  }

  /// The zero-terminated text at `offset` of `section`; nil beyond its end.
  func text(at offset: UInt64, of section: KeyPath<DwarfSections, [UInt8]>) -> String? {
    let bytes = self[keyPath: section]
    guard offset < UInt64(bytes.count) else { return nil }
    var cursor = ByteCursor(bytes, from: Int(offset))
    return cursor.text()
  }
}
