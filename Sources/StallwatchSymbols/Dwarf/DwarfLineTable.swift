import StallwatchCore

/// Maps a unit's addresses to source lines.
struct DwarfLineTable {
  /// The unit's source files and their folders.
  private var files: [File] = []
  private var folders: [DwarfValue] = []
  /// Sorted by address.
  private var rows: [Row] = []
  /// The number of the first file: 1 up to DWARF 4, 0 from DWARF 5 on.
  private var firstFile: UInt64 = 1
  /// The most rows. A large module has some millions; more means a small program built to make many.
  private static let mostRows = 8_000_000
  /// The most rows to look through for one with a line. Code without lines rarely has more than two rows in a row.
  private static let farthest = 16

  /// A source file. Refers to its name instead of keeping it: a thousand files may share one long text.
  struct File {
    /// The reference to its name.
    var name: DwarfValue
    /// The number of its folder.
    var folder: UInt64
  }

  private struct Row {
    var address: UInt64
    /// The file's number; `.max` where the address is the first behind a run of code.
    var file: UInt32
    var line: UInt32

    var isEnd: Bool { file == .max }
  }

  /// Runs the line program at `offset` of `.debug_line`. Keeps the rows before any damage.
  init(sections: DwarfSections, offset: UInt64) {
    guard offset < UInt64(sections.lines.count) else { return }
    var start = ByteCursor(sections.lines, from: Int(offset))
    guard var header = Header(&start), sections.work.spend(header.size) else { return }
    (files, folders) = (header.files, header.folders)
    firstFile = header.version >= 5 ? 0 : 1
    let runs = run(&header)
    rows = runs.sorted { rows[$0.lowerBound].address < rows[$1.lowerBound].address }.flatMap { rows[$0] }
  }

  /// The number of rows.
  var rowCount: Int { rows.count }

  /// The file and line of the code at `address`. The line is nil for compiler-made code without a source line.
  ///
  /// - Parameter folder: the folder in which the unit was compiled.
  func location(at address: UInt64, folder: String, sections: DwarfSections) -> SourceLocation? {
    let next = rows.partitioningIndex { $0.address > address }
    guard next > 0, !rows[next - 1].isEnd else { return nil }
    let (file, line) = (UInt64(rows[next - 1].file), UInt64(rows[next - 1].line))
    return location(file: file, line: line, folder: folder, sections: sections)
  }

  /// The file and line of the nearest code before `address` that has a line, as far as `isNear` says of its address that it
  /// may stand for the code at `address`. Nil where there is none near.
  func location(
    before address: UInt64, folder: String, sections: DwarfSections, isNear: (UInt64) -> Bool
  ) -> SourceLocation? {
    let next = rows.partitioningIndex { $0.address > address }
    for row in rows[max(0, next - Self.farthest)..<next].reversed() {
      guard !row.isEnd, isNear(row.address) else { return nil }
      if row.line != 0 {
        return location(file: UInt64(row.file), line: UInt64(row.line), folder: folder, sections: sections)
      }
    }
    return nil
  }

  /// The location of `line` in the file with this number; nil where there is no such file.
  func location(file: UInt64, line: UInt64, folder: String, sections: DwarfSections) -> SourceLocation? {
    guard let path = path(file, folder: folder, sections: sections) else { return nil }
    return SourceLocation(path: path, line: line == 0 ? nil : Int(clamping: line))
  }

  private func path(_ number: UInt64, folder: String, sections: DwarfSections) -> String? {
    guard number >= firstFile, number - firstFile < UInt64(files.count) else { return nil }
    let file = files[Int(number - firstFile)]
    guard let name = sections.lineText(file.name), !name.isEmpty else { return nil }
    // Up to DWARF 4 the first folder is the unit's own, and is not in the list.
    let place = file.folder &- firstFile
    let within = place < UInt64(folders.count) ? sections.lineText(folders[Int(place)]) ?? "" : ""
    let path = Self.joined(Self.joined(folder, within), name)
    return path.hasSuffix("<compiler-generated>") ? nil : path
  }

  private static func joined(_ folder: String, _ path: String) -> String {
    if path.isEmpty { return folder }
    return path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
  }

  /// Runs the state machine of section 6.2 of the DWARF 5 standard for address, file and line only. Appends its rows
  /// and returns the runs of code they belong to. Within a run addresses ascend; the last row of an address counts.
  private mutating func run(_ header: inout Header) -> [Range<Int>] {
    var (address, file, line): (UInt64, UInt64, Int64) = (0, 1, 1)
    var runs: [Range<Int>] = []
    var runStart = 0
    func row(isEnd: Bool) -> Row {
      Row(
        address: address, file: isEnd ? .max : UInt32(clamping: min(file, UInt64(UInt32.max - 1))),
        line: UInt32(clamping: line))
    }
    while !header.program.isAtEnd, rows.count < Self.mostRows {
      let code = header.program.byte()
      if code >= header.opcodeBase {
        let adjusted = UInt64(code - header.opcodeBase)
        address &+= adjusted / header.lineRange &* header.shortestInstruction
        line &+= header.lineBase &+ Int64(adjusted % header.lineRange)
        rows.append(row(isEnd: false))
        continue
      }
      switch code {
      case 0:
        let length = header.program.unsigned()
        let next = header.program.offset.addingReportingOverflow(Int(clamping: length))
        guard length > 0, !next.overflow else { return runs }
        switch header.program.byte() {
        case 1:
          rows.append(row(isEnd: true))
          // The linker gives discarded code address 0, or one at the end of the address space.
          let first = rows[runStart].address
          if first > 0, first < ~1 { runs.append(runStart..<rows.count) }
          runStart = rows.count
          (address, file, line) = (0, 1, 1)
        case 2: address = header.program.number(min(8, Int(clamping: length - 1)))
        default: break
        }
        header.program.move(to: next.partialValue)
      case 1: rows.append(row(isEnd: false))
      case 2: address &+= header.program.unsigned() &* header.shortestInstruction
      case 3: line &+= header.program.signed()
      case 4: file = header.program.unsigned()
      case 8: address &+= UInt64(255 - header.opcodeBase) / header.lineRange &* header.shortestInstruction
      case 9: address &+= header.program.number(2)
      case 6, 7, 10, 11: break
      default: for _ in 0..<header.argumentCounts[Int(code) - 1] { _ = header.program.unsigned() }
      }
    }
    return runs
  }
}
