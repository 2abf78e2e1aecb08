import StallwatchCore

/// The functions of a unit by code address, including inlined copies.
struct DwarfFunctions {
  /// One range of a function's code, or of an inlined copy.
  struct Body {
    /// The addresses of the code.
    var code: Range<UInt64>
    /// The offset of the function's entry in `.debug_info`.
    var function: UInt64
    /// Whether it is an inlined copy.
    var isInlined: Bool
    /// The file and line of the call that an inlined copy replaced.
    var callFile: UInt64
    var callLine: UInt64
    /// The number of entries that enclose it.
    fileprivate var depth: Int
    /// The index of the smallest body that encloses this one.
    fileprivate var parent: Int?
  }

  private var bodies: [Body] = []
  private static let subprogram: UInt64 = 0x2E
  private static let inlinedSubroutine: UInt64 = 0x1D
  /// The most bodies; more means damage that refers to one short list of ranges again and again.
  private static let mostBodies = 2_000_000
  /// The most nested entries; more means damage.
  private static let mostDepth = 1_024

  /// Reads the functions of a unit. Stops at damage.
  init(unit: DwarfUnit, sections: DwarfSections) {
    guard sections.work.spend(unit.end - unit.start) else { return }
    var cursor = ByteCursor(sections.info, from: unit.firstEntry, to: unit.end)
    var depth = 0
    while !cursor.isAtEnd, depth < Self.mostDepth, bodies.count < Self.mostBodies {
      let place = cursor.offset
      let code = cursor.unsigned()
      guard code != 0 else {
        depth -= 1
        if depth <= 0 { break }
        continue
      }
      guard let shape = unit.abbreviations[code] else { break }
      if shape.tag == Self.inlinedSubroutine || shape.tag == Self.subprogram {
        add(&cursor, shape: shape, at: place, depth: depth, unit: unit, sections: sections)
      } else {
        for attribute in shape.attributes {
          _ = cursor.value(form: attribute.form, implicit: attribute.implicit, widths: unit.widths)
        }
      }
      if shape.hasChildren { depth += 1 }
    }
    nest()
  }

  /// The number of bodies.
  var count: Int { bodies.count }

  /// The bodies that contain `address`, innermost first, up to and including the first that is not inlined.
  func bodies(at address: UInt64) -> [Body] {
    let after = bodies.partitioningIndex { $0.code.lowerBound > address }
    var found: [Body] = []
    var next = after > 0 ? after - 1 : nil
    while let index = next {
      next = bodies[index].parent
      guard bodies[index].code.contains(address) else { continue }
      found.append(bodies[index])
      if !bodies[index].isInlined { break }
    }
    return found
  }

  private mutating func add(
    _ cursor: inout ByteCursor, shape: DwarfAbbreviations.Shape, at place: Int, depth: Int, unit: DwarfUnit,
    sections: DwarfSections
  ) {
    var (low, high, list): (DwarfValue?, DwarfValue?, DwarfValue?)
    var (origin, callFile, callLine): (UInt64?, UInt64, UInt64) = (nil, 0, 0)
    for attribute in shape.attributes {
      let value = cursor.value(form: attribute.form, implicit: attribute.implicit, widths: unit.widths)
      switch attribute.name {
      case DwarfUnit.Attribute.lowPC: low = value
      case DwarfUnit.Attribute.highPC: high = value
      case DwarfUnit.Attribute.ranges: list = value
      case DwarfUnit.Attribute.abstractOrigin: origin = unit.reference(value)
      case DwarfUnit.Attribute.callFile: callFile = value.number
      case DwarfUnit.Attribute.callLine: callLine = value.number
      default: break
      }
    }
    let isInlined = shape.tag == Self.inlinedSubroutine
    guard !cursor.isBroken, let function = isInlined ? origin : UInt64(place) else { return }
    for code in unit.ranges(low: low, high: high, list: list, sections: sections) {
      bodies.append(
        Body(
          code: code, function: function, isInlined: isInlined, callFile: callFile, callLine: callLine, depth: depth,
          parent: nil))
    }
  }

  /// Sorts the bodies, each behind the ones that enclose it, and links it to the smallest of those.
  private mutating func nest() {
    bodies.sort {
      ($0.code.lowerBound, $1.code.upperBound, $0.depth) < ($1.code.lowerBound, $0.code.upperBound, $1.depth)
    }
    var holders: [Int] = []
    for index in bodies.indices {
      let code = bodies[index].code
      while let last = holders.last, bodies[last].code.upperBound < code.upperBound { holders.removeLast() }
      bodies[index].parent = holders.last
      // A body lies in as many others as its entry does.
      if holders.count < Self.mostDepth { holders.append(index) }
    }
  }
}
