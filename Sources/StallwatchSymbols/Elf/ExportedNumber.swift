extension ElfImage {
  /// The 32-bit number that an ELF file exports under a name, as it is before anything runs; nil where there is none.
  package static func exportedNumber(_ name: String, path: String) -> UInt32? {
    guard let file = BinaryFile(path: path), let segments = ElfReader(file: file)?.segments() else { return nil }
    let sections = ElfSections(file: file)
    guard let entries = sections.bytes(of: ".dynsym"), let names = sections.bytes(of: ".dynstr") else { return nil }
    let (object, width): (UInt8, Int) = (1, 24)
    var cursor = ByteCursor(entries)
    for _ in 0..<entries.count / width {
      let place = Int(cursor.number(4))
      let info = cursor.byte()
      _ = cursor.byte()
      let section = cursor.number(2)
      let (address, size) = (cursor.number(8), cursor.number(8))
      guard info & 15 == object, section != 0, size >= 4, names.dropFirst(place).starts(with: name.utf8 + [0]) else {
        continue
      }
      let holder = segments.first { $0.kind == .load && address >= $0.address && address - $0.address < $0.size }
      guard let holder else { return nil }
      let (offset, overflow) = holder.offset.addingReportingOverflow(address - holder.address)
      return overflow ? nil : file.bytes(at: offset, count: 4)?.number(UInt32.self, at: 0)
    }
    return nil
  }
}
