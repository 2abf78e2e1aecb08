extension DwarfLineTable {
  /// What stands before a line program: how to read it, and its files.
  struct Header {
    let version: UInt64
    /// The program, which follows.
    var program: ByteCursor
    var files: [String] = []
    private(set) var shortestInstruction: UInt64 = 1
    private(set) var lineBase: Int64 = 0
    private(set) var lineRange: UInt64 = 1
    private(set) var opcodeBase: UInt8 = 1
    /// How many arguments each standard opcode has, from opcode 1 on.
    private(set) var argumentCounts: [UInt8] = []
    /// More files or folders than this are taken for damage.
    private static let mostEntries: UInt64 = 1 << 20

    /// Reads the header that `cursor` stands at; nil where it cannot be understood.
    init?(_ cursor: inout ByteCursor, sections: DwarfSections, folder: String) {
      var length = cursor.number(4)
      let isWide = length == 0xFFFF_FFFF
      if isWide { length = cursor.number(8) }
      let end = cursor.offset.addingReportingOverflow(Int(clamping: length))
      guard !end.overflow, !cursor.isBroken else { return nil }
      cursor = ByteCursor(cursor.bytes, from: cursor.offset, to: end.partialValue)
      version = cursor.number(2)
      guard (2...5).contains(version) else { return nil }
      let addressWidth = version >= 5 ? Int(cursor.byte()) : 8
      if version >= 5 { cursor.skip(1) }
      let headerLength = cursor.number(isWide ? 8 : 4)
      let programStart = cursor.offset.addingReportingOverflow(Int(clamping: headerLength))
      shortestInstruction = UInt64(cursor.byte())
      if version >= 4 { cursor.skip(1) }
      cursor.skip(1)
      lineBase = Int64(Int8(bitPattern: cursor.byte()))
      lineRange = UInt64(cursor.byte())
      opcodeBase = cursor.byte()
      guard lineRange > 0, opcodeBase > 0, !programStart.overflow else { return nil }
      argumentCounts = (1..<max(opcodeBase, 1)).map { _ in cursor.byte() }

      let widths = DwarfWidths(address: addressWidth, offset: isWide ? 8 : 4, version: version)
      program = cursor
      files =
        version >= 5
        ? Self.files(&cursor, widths: widths, sections: sections, folder: folder)
        : Self.oldFiles(&cursor, folder: folder)
      program.move(to: programStart.partialValue)
      guard !cursor.isBroken, !program.isBroken else { return nil }
    }

    private static func oldFiles(_ cursor: inout ByteCursor, folder: String) -> [String] {
      var folders = [folder]
      while case let text = cursor.text(), !text.isEmpty { folders.append(joined(folder, text)) }
      var files: [String] = []
      while case let name = cursor.text(), !name.isEmpty {
        let index = cursor.unsigned()
        _ = (cursor.unsigned(), cursor.unsigned())
        files.append(joined(index < UInt64(folders.count) ? folders[Int(index)] : "", name))
      }
      return files
    }

    private static func files(
      _ cursor: inout ByteCursor, widths: DwarfWidths, sections: DwarfSections, folder: String
    ) -> [String] {
      let folders = entries(&cursor, widths: widths, sections: sections).map { joined(folder, $0.path) }
      return entries(&cursor, widths: widths, sections: sections).map { entry in
        joined(entry.folder < UInt64(folders.count) ? folders[Int(entry.folder)] : folder, entry.path)
      }
    }

    /// A list of DWARF 5: the forms of its columns, then its rows.
    private static func entries(
      _ cursor: inout ByteCursor, widths: DwarfWidths, sections: DwarfSections
    ) -> [(path: String, folder: UInt64)] {
      let (pathColumn, folderColumn): (UInt64, UInt64) = (1, 2)
      let columns = (0..<Int(cursor.byte())).map { _ in (content: cursor.unsigned(), form: cursor.unsigned()) }
      let count = cursor.unsigned()
      guard count <= mostEntries else { return [] }
      var entries: [(path: String, folder: UInt64)] = []
      for _ in 0..<count where !cursor.isBroken {
        var entry = (path: "", folder: UInt64(0))
        for column in columns {
          let value = cursor.value(form: column.form, widths: widths)
          if column.content == folderColumn { entry.folder = value.number }
          guard column.content == pathColumn else { continue }
          switch value.form {
          case DwarfForm.string: entry.path = sections.text(at: value.number, of: \.lines) ?? ""
          case DwarfForm.stringPointer: entry.path = sections.text(at: value.number, of: \.strings) ?? ""
          default: entry.path = sections.text(at: value.number, of: \.lineStrings) ?? ""
          }
        }
        entries.append(entry)
      }
      return entries
    }

    private static func joined(_ folder: String, _ path: String) -> String {
      path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
    }
  }
}
