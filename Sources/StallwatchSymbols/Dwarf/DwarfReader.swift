import StallwatchCore

/// The debug information of one file: source lines and inlined calls by address. Reads a unit when an address in it is
/// first looked up.
final class DwarfReader {
  private let sections: DwarfSections
  private var units: [DwarfUnit] = []
  /// The code ranges of all units by address, each with the index of its unit.
  private var code: [(range: Range<UInt64>, unit: Int)] = []
  /// Line tables by offset, because units may share one.
  private var lineTables: [UInt64: DwarfLineTable] = [:]
  private var rowsKept = 0
  private var functions: [Int: DwarfFunctions] = [:]
  private var bodiesKept = 0
  private var entries: [UInt64: Entry] = [:]
  /// The most code ranges; more means damage that refers to one list again and again.
  private static let mostRanges = 4_000_000
  /// The most units; more means damage. The largest programs have some ten thousand.
  private static let mostUnits = 1 << 18
  /// The most line table rows kept, 16 bytes each. Beyond that all tables are dropped and read anew when needed.
  private static let mostRows = 16_000_000
  /// The most function bodies kept in the same way, 80 bytes each.
  private static let mostBodies = 4_000_000
  /// The most references followed from entry to entry to find a name.
  private static let longestReference = 8

  /// A function at an address.
  struct Call {
    /// Its raw name; nil where it is unknown.
    var rawName: String?
    /// Its place in the source; nil where it is unknown.
    var location: SourceLocation?
    /// Where its source begins; nil where it has none, as with what the compiler makes by itself, or where it is unknown.
    var declared: SourceLocation?
  }

  /// What a function's entry in `.debug_info` says.
  private struct Entry {
    /// Its raw name; nil where it has none.
    var rawName: String?
    var declared: SourceLocation?
  }

  /// Reads the headers of all units.
  init(_ sections: DwarfSections) {
    self.sections = sections
    var cursor = ByteCursor(sections.info)
    var tables: [UInt64: DwarfAbbreviations] = [:]
    func abbreviations(at offset: UInt64) -> DwarfAbbreviations {
      if let known = tables[offset] { return known }
      let table = DwarfAbbreviations(sections.abbreviations, at: offset, work: sections.work)
      tables[offset] = table
      return table
    }
    while !cursor.isAtEnd, code.count < Self.mostRanges, units.count < Self.mostUnits {
      let start = cursor.offset
      if let unit = DwarfUnit(&cursor, sections: sections, abbreviations: abbreviations) {
        for range in unit.code { code.append((range, units.count)) }
        units.append(unit)
      }
      if cursor.offset == start { break }
    }
    code.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The functions at `address`: inlined ones first, innermost first, and last the one that was compiled. Empty where
  /// the file does not say.
  func calls(at address: UInt64) -> [Call] {
    guard let index = unit(at: address) else { return [] }
    let lines = lineTable(of: index)
    let folder = units[index].folder(sections: sections)
    let functions = functions(of: index)
    let bodies = functions.bodies(at: address)
    var location = lines.location(at: address, folder: folder, sections: sections)
    if location?.line == nil, let body = bodies.first {
      // The compiler gives the calls of `next()` in a for loop no line, for one. What the same function did before is near.
      location =
        lines.location(before: address, folder: folder, sections: sections) {
          functions.bodies(at: $0).first?.function == body.function
        } ?? location
    }
    var calls: [Call] = []
    for body in bodies {
      let entry = entry(at: body.function)
      let call = Call(rawName: entry.rawName, location: location, declared: entry.declared)
      guard body.isInlined else { return calls + [call] }
      // Leave out an inlined copy without a name; its call's line then counts for the function around it.
      if entry.rawName != nil { calls.append(call) }
      location = lines.location(file: body.callFile, line: body.callLine, folder: folder, sections: sections)
    }
    return calls + [Call(rawName: nil, location: location)]
  }

  private func unit(at address: UInt64) -> Int? {
    let next = code.partitioningIndex { $0.range.lowerBound > address }
    guard next > 0, code[next - 1].range.contains(address) else { return nil }
    return code[next - 1].unit
  }

  private func lineTable(of index: Int) -> DwarfLineTable {
    let offset = units[index].lineTable ?? .max
    if let table = lineTables[offset] { return table }
    let table = DwarfLineTable(sections: sections, offset: offset)
    rowsKept += table.rowCount
    if rowsKept > Self.mostRows { (lineTables, rowsKept) = ([:], table.rowCount) }
    lineTables[offset] = table
    return table
  }

  private func functions(of index: Int) -> DwarfFunctions {
    if let known = functions[index] { return known }
    let read = DwarfFunctions(unit: units[index], sections: sections)
    bodiesKept += read.count
    if bodiesKept > Self.mostBodies { (functions, bodiesKept) = ([:], read.count) }
    functions[index] = read
    return read
  }

  /// What the entry at `place` of `.debug_info` says of its function.
  private func entry(at place: UInt64) -> Entry {
    if let known = entries[place] { return known }
    let entry = readEntry(at: place, left: Self.longestReference)
    entries[place] = entry
    return entry
  }

  private func readEntry(at place: UInt64, left: Int) -> Entry {
    guard left > 0, let index = unitIndex(holding: place) else { return Entry() }
    let unit = units[index]
    var cursor = ByteCursor(sections.info, from: Int(place), to: unit.end)
    guard let shape = unit.abbreviations[cursor.unsigned()] else { return Entry() }
    var (linkageName, plainName, reference): (DwarfValue?, DwarfValue?, DwarfValue?)
    var (file, line): (UInt64?, UInt64) = (nil, 0)
    for attribute in shape.attributes {
      let value = cursor.value(form: attribute.form, implicit: attribute.implicit, widths: unit.widths)
      switch attribute.name {
      case DwarfUnit.Attribute.linkageName, DwarfUnit.Attribute.oldLinkageName: linkageName = value
      case DwarfUnit.Attribute.name: plainName = value
      case DwarfUnit.Attribute.declaredFile: file = value.number
      case DwarfUnit.Attribute.declaredLine: line = value.number
      case DwarfUnit.Attribute.specification, DwarfUnit.Attribute.abstractOrigin: reference = value
      default: break
      }
    }
    if cursor.isBroken { return Entry() }
    var entry = reference.flatMap(unit.reference).map { readEntry(at: $0, left: left - 1) } ?? Entry()
    if let text = linkageName.flatMap({ unit.text($0, sections: sections) }), !text.isEmpty { entry.rawName = text }
    entry.rawName = entry.rawName ?? plainName.flatMap { unit.text($0, sections: sections) }
    if let file, line > 0 {
      entry.declared = lineTable(of: index).location(
        file: file, line: line, folder: unit.folder(sections: sections), sections: sections)
    }
    return entry
  }

  private func unitIndex(holding place: UInt64) -> Int? {
    let next = units.partitioningIndex { UInt64($0.start) > place }
    guard next > 0, place < UInt64(units[next - 1].end) else { return nil }
    return next - 1
  }
}
