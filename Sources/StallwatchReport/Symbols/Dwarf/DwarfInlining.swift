/// The functions that the compiler copied into others, by the addresses of the copies.
struct DwarfInlining {
  /// One range of a copy.
  struct Copy {
    /// Its code.
    var code: Range<UInt64>
    /// The function, as a place in `.debug_info`.
    var function: UInt64
    /// The file and line of the call that the copy took the place of.
    var callFile: UInt64
    var callLine: UInt64
    /// How many copies it lies within.
    fileprivate var depth: Int
    /// The smallest copy that holds this one, as a place in the list.
    fileprivate var parent: Int?
  }

  private var copies: [Copy] = []

  /// The copies in a unit. What follows damage is left out.
  init(unit: DwarfUnit, sections: DwarfSections) {
    let (inlinedSubroutine, mostDepth): (UInt64, Int) = (0x1D, 1_024)
    var cursor = ByteCursor(sections.info, from: unit.firstEntry, to: unit.end)
    // Whether each entry that is open, from the outermost on, is a copy.
    var open: [Bool] = []
    var depth = 0
    while !cursor.isAtEnd, open.count < mostDepth {
      let code = cursor.unsigned()
      guard code != 0 else {
        if open.popLast() == true { depth -= 1 }
        if open.isEmpty { break }
        continue
      }
      guard let shape = unit.abbreviations[code] else { break }
      let isCopy = shape.tag == inlinedSubroutine
      if isCopy {
        add(&cursor, shape: shape, depth: depth, unit: unit, sections: sections)
      } else {
        for attribute in shape.attributes {
          _ = cursor.value(form: attribute.form, implicit: attribute.implicit, widths: unit.widths)
        }
      }
      guard shape.hasChildren else { continue }
      open.append(isCopy)
      if isCopy { depth += 1 }
    }
    nest()
  }

  /// The copies that hold `address`, the innermost first.
  func copies(at address: UInt64) -> [Copy] {
    var (low, high) = (0, copies.count)
    while low < high {
      let middle = (low + high) / 2
      if copies[middle].code.lowerBound <= address { low = middle + 1 } else { high = middle }
    }
    var found: [Copy] = []
    var next = low > 0 ? low - 1 : nil
    while let index = next {
      if copies[index].code.contains(address) { found.append(copies[index]) }
      next = copies[index].parent
    }
    return found
  }

  private mutating func add(
    _ cursor: inout ByteCursor, shape: DwarfAbbreviations.Shape, depth: Int, unit: DwarfUnit, sections: DwarfSections
  ) {
    var (low, high, list): (DwarfValue?, DwarfValue?, DwarfValue?)
    var (function, callFile, callLine): (UInt64?, UInt64, UInt64) = (nil, 0, 0)
    for attribute in shape.attributes {
      let value = cursor.value(form: attribute.form, implicit: attribute.implicit, widths: unit.widths)
      switch attribute.name {
      case DwarfUnit.Attribute.lowPC: low = value
      case DwarfUnit.Attribute.highPC: high = value
      case DwarfUnit.Attribute.ranges: list = value
      case DwarfUnit.Attribute.abstractOrigin: function = unit.reference(value)
      case DwarfUnit.Attribute.callFile: callFile = value.number
      case DwarfUnit.Attribute.callLine: callLine = value.number
      default: break
      }
    }
    guard let function, !cursor.isBroken else { return }
    for code in unit.ranges(low: low, high: high, list: list, sections: sections) {
      copies.append(
        Copy(code: code, function: function, callFile: callFile, callLine: callLine, depth: depth, parent: nil))
    }
  }

  /// Sorts the copies, each behind those that hold it, and links it to the smallest of them.
  private mutating func nest() {
    copies.sort {
      ($0.code.lowerBound, $1.code.upperBound, $0.depth) < ($1.code.lowerBound, $0.code.upperBound, $1.depth)
    }
    var holders: [Int] = []
    for index in copies.indices {
      let code = copies[index].code
      while let last = holders.last, copies[last].code.upperBound < code.upperBound { holders.removeLast() }
      copies[index].parent = holders.last
      holders.append(index)
    }
  }
}
