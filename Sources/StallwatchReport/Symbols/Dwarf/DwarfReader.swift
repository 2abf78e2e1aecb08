/// The debug information of one file: source lines and inlined calls by address. Units are read when an address of theirs
/// is first asked for.
final class DwarfReader {
  private let sections: DwarfSections
  private var units: [DwarfUnit] = []
  /// The code of all units in the order of addresses, each with its unit's place in the list.
  private var code: [(range: Range<UInt64>, unit: Int)] = []
  private var lineTables: [Int: DwarfLineTable] = [:]
  private var functions: [Int: DwarfFunctions] = [:]
  private var names: [UInt64: String?] = [:]
  /// More ranges of code than this are taken for damage, by which one list of them is told of again and again.
  private static let mostRanges = 4_000_000
  /// A name may refer to an entry that refers to another; this many are followed.
  private static let longestReference = 8

  /// A function that an address stands in.
  struct Call {
    /// Its raw name; nil where it is not known.
    var rawName: String?
    /// Where it stands.
    var location: SourceLocation?
  }

  /// Reads the headers of all units.
  init(_ sections: DwarfSections) {
    self.sections = sections
    var cursor = ByteCursor(sections.info)
    while !cursor.isAtEnd, code.count < Self.mostRanges {
      let start = cursor.offset
      if let unit = DwarfUnit(&cursor, sections: sections) {
        for range in unit.code where range.lowerBound > 0 { code.append((range, units.count)) }
        units.append(unit)
      }
      if cursor.offset == start { break }
    }
    code.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The functions that `address` stands in, the innermost first and the one that was compiled last; empty where the file
  /// does not tell.
  func calls(at address: UInt64) -> [Call] {
    guard let index = unit(at: address) else { return [] }
    let lines = lineTable(of: index)
    var location = lines.location(at: address)
    var calls: [Call] = []
    for body in functions(of: index).bodies(at: address) {
      guard body.isInlined else { return calls + [Call(rawName: name(at: body.function), location: location)] }
      // Without a name the copy is left out, and its place told of the function that it lies in.
      if let rawName = name(at: body.function) { calls.append(Call(rawName: rawName, location: location)) }
      location = lines.location(file: body.callFile, line: body.callLine)
    }
    return calls + [Call(rawName: nil, location: location)]
  }

  private func unit(at address: UInt64) -> Int? {
    var (low, high) = (0, code.count)
    while low < high {
      let middle = (low + high) / 2
      if code[middle].range.lowerBound <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, code[low - 1].range.contains(address) else { return nil }
    return code[low - 1].unit
  }

  private func lineTable(of index: Int) -> DwarfLineTable {
    if let table = lineTables[index] { return table }
    let unit = units[index]
    let table = DwarfLineTable(sections: sections, offset: unit.lineTable ?? .max, folder: unit.folder)
    lineTables[index] = table
    return table
  }

  private func functions(of index: Int) -> DwarfFunctions {
    if let known = functions[index] { return known }
    let read = DwarfFunctions(unit: units[index], sections: sections)
    functions[index] = read
    return read
  }

  /// The raw name of the function that the entry at `place` of `.debug_info` describes.
  private func name(at place: UInt64) -> String? {
    if let known = names[place] { return known }
    let name = readName(at: place, left: Self.longestReference)
    names[place] = .some(name)
    return name
  }

  private func readName(at place: UInt64, left: Int) -> String? {
    guard left > 0, let unit = unit(holding: place) else { return nil }
    var cursor = ByteCursor(sections.info, from: Int(place), to: unit.end)
    guard let shape = unit.abbreviations[cursor.unsigned()] else { return nil }
    var (linkageName, plainName, reference): (DwarfValue?, DwarfValue?, DwarfValue?)
    for attribute in shape.attributes {
      let value = cursor.value(form: attribute.form, implicit: attribute.implicit, widths: unit.widths)
      switch attribute.name {
      case DwarfUnit.Attribute.linkageName, DwarfUnit.Attribute.oldLinkageName: linkageName = value
      case DwarfUnit.Attribute.name: plainName = value
      case DwarfUnit.Attribute.specification, DwarfUnit.Attribute.abstractOrigin: reference = value
      default: break
      }
    }
    if cursor.isBroken { return nil }
    if let text = linkageName.flatMap({ unit.text($0, sections: sections) }), !text.isEmpty { return text }
    if let target = reference.flatMap(unit.reference), let name = readName(at: target, left: left - 1) { return name }
    return plainName.flatMap { unit.text($0, sections: sections) }
  }

  private func unit(holding place: UInt64) -> DwarfUnit? {
    var (low, high) = (0, units.count)
    while low < high {
      let middle = (low + high) / 2
      if UInt64(units[middle].start) <= place { low = middle + 1 } else { high = middle }
    }
    guard low > 0, place < UInt64(units[low - 1].end) else { return nil }
    return units[low - 1]
  }
}
