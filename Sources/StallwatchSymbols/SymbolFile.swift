import StallwatchCore

/// The names, lines and calls that one executable, library or debug file gives for its addresses.
final class SymbolFile {
  /// The file's build-id; nil where it has none.
  let buildID: String?
  /// The file that has its debug information; nil where it names none.
  private(set) lazy var debugLink = sections.bytes(of: ".gnu_debuglink").flatMap(DebugLink.init)
  private let sections: ElfSections
  private lazy var symbols = ElfSymbols(sections: sections, table: ".symtab", strings: ".strtab")
  private lazy var exports = ElfSymbols(sections: sections, table: ".dynsym", strings: ".dynstr")
  private lazy var debugInformation = DwarfSections(sections).map(DwarfReader.init)

  /// The 64-bit ELF file at `path`; nil for anything else, or where it cannot be read.
  init?(path: String) {
    guard let file = BinaryFile(path: path), let reader = ElfReader(file: file), reader.machine.bits == 64,
      let segments = reader.segments()
    else { return nil }
    sections = ElfSections(file: file)
    buildID = reader.buildID(in: segments)
  }

  /// How much the file says. Debug information that cannot be read, damaged or too large, says nothing.
  var wealth: SymbolWealth {
    if sections.has(".debug_info"), debugInformation != nil { return .lines }
    return sections.has(".symtab") ? .names : .exports
  }

  /// The functions at `address`, counted from the image's own address 0: inlined ones first, then the one that was
  /// compiled. The last has no raw name where the file gives only the line. Empty where nothing is known.
  func calls(at address: UInt64) -> [DwarfReader.Call] {
    let name = symbols?.name(at: address) ?? exports?.name(at: address)
    var calls = debugInformation?.calls(at: address) ?? []
    guard !calls.isEmpty else { return name.map { [DwarfReader.Call(rawName: $0)] } ?? [] }
    if let name { calls[calls.count - 1].rawName = name }
    return calls
  }
}
