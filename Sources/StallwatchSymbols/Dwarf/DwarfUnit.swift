/// A compile unit: the code of one module or source file, and the place of its line table.
final class DwarfUnit {
  /// Its first and last offset in `.debug_info`; `end` is not part of it.
  let start: Int
  let end: Int
  let widths: DwarfWidths
  let abbreviations: DwarfAbbreviations
  /// The offset of its first entry.
  let firstEntry: Int
  /// The address ranges of its code.
  private(set) var code: [Range<UInt64>] = []
  /// The offset of its line table in `.debug_line`.
  private(set) var lineTable: UInt64?
  private var folderValue: DwarfValue?
  private var lowPC: UInt64 = 0
  private var stringOffsetsBase: UInt64 = 0
  private var addressesBase: UInt64 = 0
  private var rangeListsBase: UInt64 = 0

  /// The attributes that the reader uses (`DW_AT_…`).
  enum Attribute {
    static let name: UInt64 = 0x03
    static let lineTable: UInt64 = 0x10
    static let lowPC: UInt64 = 0x11
    static let highPC: UInt64 = 0x12
    static let folder: UInt64 = 0x1B
    static let abstractOrigin: UInt64 = 0x31
    static let declaredFile: UInt64 = 0x3A
    static let declaredLine: UInt64 = 0x3B
    static let specification: UInt64 = 0x47
    static let ranges: UInt64 = 0x55
    static let callFile: UInt64 = 0x58
    static let callLine: UInt64 = 0x59
    static let linkageName: UInt64 = 0x6E
    static let stringOffsetsBase: UInt64 = 0x72
    static let addressesBase: UInt64 = 0x73
    static let rangeListsBase: UInt64 = 0x74
    static let oldLinkageName: UInt64 = 0x2007
  }

  /// Reads the unit whose header is at `cursor` and moves the cursor behind it; nil where it is not a compile unit.
  ///
  /// - Parameter abbreviations: returns the table at an offset.
  init?(
    _ cursor: inout ByteCursor, sections: DwarfSections, abbreviations table: (UInt64) -> DwarfAbbreviations
  ) {
    start = cursor.offset
    var length = cursor.number(4)
    let isWide = length == 0xFFFF_FFFF
    if isWide { length = cursor.number(8) }
    let content = cursor.offset
    cursor.skip(length)
    end = cursor.offset
    guard !cursor.isBroken, length > 0 else { return nil }

    var header = ByteCursor(sections.info, from: content, to: end)
    let version = header.number(2)
    guard (2...5).contains(version) else { return nil }
    let (compile, partial, skeleton): (UInt8, UInt8, UInt8) = (1, 3, 4)
    let kind = version >= 5 ? header.byte() : compile
    var addressWidth = version >= 5 ? Int(header.byte()) : 0
    let tableOffset = header.number(isWide ? 8 : 4)
    if version < 5 { addressWidth = Int(header.byte()) }
    if kind == skeleton { header.skip(8) }
    guard [compile, partial, skeleton].contains(kind), addressWidth == 8 || addressWidth == 4, !header.isBroken else {
      return nil
    }
    widths = DwarfWidths(address: addressWidth, offset: isWide ? 8 : 4, version: version)
    abbreviations = table(tableOffset)
    firstEntry = header.offset
    readRoot(header, sections: sections)
  }

  private func readRoot(_ start: ByteCursor, sections: DwarfSections) {
    var cursor = start
    guard let shape = abbreviations[cursor.unsigned()] else { return }
    var values: [UInt64: DwarfValue] = [:]
    for attribute in shape.attributes {
      values[attribute.name] = cursor.value(form: attribute.form, implicit: attribute.implicit, widths: widths)
    }
    stringOffsetsBase = values[Attribute.stringOffsetsBase]?.number ?? 0
    addressesBase = values[Attribute.addressesBase]?.number ?? 0
    rangeListsBase = values[Attribute.rangeListsBase]?.number ?? 0
    lineTable = values[Attribute.lineTable]?.number
    folderValue = values[Attribute.folder]
    lowPC = values[Attribute.lowPC].flatMap { address($0, sections: sections) } ?? 0
    code = ranges(
      low: values[Attribute.lowPC], high: values[Attribute.highPC], list: values[Attribute.ranges], sections: sections)
  }

  /// The folder from which its relative paths start. Not kept: a thousand units may refer to one long text.
  func folder(sections: DwarfSections) -> String { folderValue.flatMap { text($0, sections: sections) } ?? "" }

  /// The text that `value` holds or points to; nil where it is not a text.
  func text(_ value: DwarfValue, sections: DwarfSections) -> String? {
    switch value.form {
    case DwarfForm.string: return sections.text(at: value.number, of: \.info)
    case DwarfForm.stringPointer: return sections.text(at: value.number, of: \.strings)
    case DwarfForm.lineStringPointer: return sections.text(at: value.number, of: \.lineStrings)
    case let form where DwarfForm.isStringIndex(form):
      let place = stringOffsetsBase &+ value.number &* UInt64(widths.offset)
      guard let offset = number(in: sections.stringOffsets, at: place, width: widths.offset) else { return nil }
      return sections.text(at: offset, of: \.strings)
    default: return nil
    }
  }

  /// The offset in `.debug_info` of the entry that `value` refers to; nil where it is not a reference.
  func reference(_ value: DwarfValue) -> UInt64? {
    if DwarfForm.isUnitReference(value.form) { return UInt64(start) &+ value.number }
    return value.form == DwarfForm.referenceToAddress ? value.number : nil
  }

  /// The address ranges of an entry. Leaves out ranges at address 0: code that the linker removed.
  func ranges(low: DwarfValue?, high: DwarfValue?, list: DwarfValue?, sections: DwarfSections) -> [Range<UInt64>] {
    if let list {
      return widths.version >= 5 ? rangeList(list, sections: sections) : oldRanges(list.number, sections: sections)
    }
    guard let low, let high, let start = address(low, sections: sections) else { return [] }
    // DWARF 2 and 3 store the end, later versions the length, unless the form says that it is an address.
    let isAddress = high.form == DwarfForm.address || DwarfForm.isAddressIndex(high.form)
    let end = isAddress ? address(high, sections: sections) ?? 0 : start &+ high.number
    return 0 < start && start < end ? [start..<end] : []
  }

  private func address(_ value: DwarfValue, sections: DwarfSections) -> UInt64? {
    guard DwarfForm.isAddressIndex(value.form) else { return value.number }
    return indexedAddress(value.number, sections: sections)
  }

  private func indexedAddress(_ index: UInt64, sections: DwarfSections) -> UInt64? {
    let place = addressesBase &+ index &* UInt64(widths.address)
    return number(in: sections.addresses, at: place, width: widths.address)
  }

  private func number(in section: [UInt8], at place: UInt64, width: Int) -> UInt64? {
    guard place < UInt64(section.count) else { return nil }
    var cursor = ByteCursor(section, from: Int(place))
    let number = cursor.number(width)
    return cursor.isBroken ? nil : number
  }

  private func oldRanges(_ offset: UInt64, sections: DwarfSections) -> [Range<UInt64>] {
    guard offset < UInt64(sections.ranges.count) else { return [] }
    var cursor = ByteCursor(sections.ranges, from: Int(offset))
    var (base, ranges) = (lowPC, [Range<UInt64>]())
    let largest = widths.address == 8 ? UInt64.max : 0xFFFF_FFFF
    while !cursor.isAtEnd, sections.work.spend(2 * widths.address) {
      let (low, high) = (cursor.number(widths.address), cursor.number(widths.address))
      if cursor.isBroken || (low == 0 && high == 0) { break }
      if low == largest {
        base = high
      } else if 0 < base &+ low, base &+ low < base &+ high {
        ranges.append(base &+ low..<base &+ high)
      }
    }
    return ranges
  }

  /// Reads a range list of DWARF 5 (`DW_RLE_…`).
  private func rangeList(_ list: DwarfValue, sections: DwarfSections) -> [Range<UInt64>] {
    var place = list.number
    if list.form == DwarfForm.rangeListIndex {
      let entry = rangeListsBase &+ list.number &* UInt64(widths.offset)
      guard let offset = number(in: sections.rangeLists, at: entry, width: widths.offset) else { return [] }
      place = rangeListsBase &+ offset
    }
    guard place < UInt64(sections.rangeLists.count) else { return [] }
    var cursor = ByteCursor(sections.rangeLists, from: Int(place))
    var (base, ranges) = (lowPC, [Range<UInt64>]())
    func add(_ low: UInt64?, _ high: UInt64?) {
      if let low, let high, 0 < low, low < high { ranges.append(low..<high) }
    }
    while !cursor.isAtEnd, sections.work.spend(8) {
      switch cursor.byte() {
      case 1: base = indexedAddress(cursor.unsigned(), sections: sections) ?? 0
      case 2:
        let (low, high) = (cursor.unsigned(), cursor.unsigned())
        add(indexedAddress(low, sections: sections), indexedAddress(high, sections: sections))
      case 3:
        let (low, length) = (cursor.unsigned(), cursor.unsigned())
        let start = indexedAddress(low, sections: sections)
        add(start, start.map { $0 &+ length })
      case 4:
        let (low, high) = (cursor.unsigned(), cursor.unsigned())
        add(base &+ low, base &+ high)
      case 5: base = cursor.number(widths.address)
      case 6:
        let (low, high) = (cursor.number(widths.address), cursor.number(widths.address))
        add(low, high)
      case 7:
        let (low, length) = (cursor.number(widths.address), cursor.unsigned())
        add(low, low &+ length)
      default: return ranges
      }
    }
    return ranges
  }
}
