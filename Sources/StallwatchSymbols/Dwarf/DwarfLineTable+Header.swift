extension DwarfLineTable {
  /// The header of a line program: how to read the program, and its files.
  struct Header {
    let version: UInt64
    /// The size of header and program, in bytes.
    let size: Int
    /// The cursor at the start of the program.
    var program: ByteCursor
    private(set) var folders: [DwarfValue] = []
    private(set) var files: [File] = []
    private(set) var shortestInstruction: UInt64 = 1
    private(set) var lineBase: Int64 = 0
    private(set) var lineRange: UInt64 = 1
    private(set) var opcodeBase: UInt8 = 1
    /// The number of arguments of each standard opcode, from opcode 1 on.
    private(set) var argumentCounts: [UInt8] = []

    /// Reads the header at `cursor`; nil where it makes no sense.
    init?(_ cursor: inout ByteCursor) {
      var length = cursor.number(4)
      let isWide = length == 0xFFFF_FFFF
      if isWide { length = cursor.number(8) }
      let end = cursor.offset.addingReportingOverflow(Int(clamping: length))
      guard !end.overflow, !cursor.isBroken else { return nil }
      cursor = ByteCursor(cursor.bytes, from: cursor.offset, to: end.partialValue)
      size = cursor.end - cursor.offset
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
      if version >= 5 {
        folders = Self.entries(&cursor, widths: widths).map(\.name)
        files = Self.entries(&cursor, widths: widths)
      } else {
        readOldFiles(&cursor)
      }
      program.move(to: programStart.partialValue)
      guard !cursor.isBroken, !program.isBroken else { return nil }
    }

    private mutating func readOldFiles(_ cursor: inout ByteCursor) {
      while let name = Self.text(&cursor) { folders.append(name) }
      while let name = Self.text(&cursor) {
        files.append(File(name: name, folder: cursor.unsigned()))
        _ = (cursor.unsigned(), cursor.unsigned())
      }
    }

    /// The text at the cursor; nil where it is empty, as at the end of a list.
    private static func text(_ cursor: inout ByteCursor) -> DwarfValue? {
      let place = cursor.offset
      cursor.skipText()
      return cursor.isBroken || cursor.offset == place + 1
        ? nil : DwarfValue(form: DwarfForm.string, number: UInt64(place))
    }

    /// Reads a list in DWARF 5: the forms of its columns, then its rows.
    private static func entries(_ cursor: inout ByteCursor, widths: DwarfWidths) -> [File] {
      let (pathColumn, folderColumn): (UInt64, UInt64) = (1, 2)
      let columns = (0..<Int(cursor.byte())).map { _ in (content: cursor.unsigned(), form: cursor.unsigned()) }
      let count = cursor.unsigned()
      var entries: [File] = []
      while UInt64(entries.count) < count, !cursor.isBroken {
        let place = cursor.offset
        var entry = File(name: DwarfValue(form: 0, number: 0), folder: 0)
        for column in columns {
          let value = cursor.value(form: column.form, widths: widths)
          if column.content == pathColumn { entry.name = value }
          if column.content == folderColumn { entry.folder = value.number }
        }
        // A row without bytes is damage; any number of them could follow.
        guard cursor.offset > place else { break }
        entries.append(entry)
      }
      return entries
    }
  }
}
