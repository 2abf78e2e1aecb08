/// The abbreviations of a unit: the tag, attributes and forms of its entries.
struct DwarfAbbreviations {
  /// The tag and attributes of an entry.
  struct Shape {
    /// The kind of thing that the entry describes (`DW_TAG_…`).
    var tag: UInt64
    /// Whether child entries follow.
    var hasChildren: Bool
    /// The attributes, in the order in which they are stored.
    var attributes: [Attribute]
  }

  /// One attribute of an entry.
  struct Attribute {
    /// Its meaning (`DW_AT_…`).
    var name: UInt64
    /// Its encoding (`DW_FORM_…`).
    var form: UInt64
    /// Its value, where the form stores the value in the abbreviation itself.
    var implicit: Int64
  }

  /// The shapes by code. Compilers count codes from 1.
  private var shapes: [Shape?] = [nil]
  /// The shapes whose codes are out of that order.
  private var others: [UInt64: Shape] = [:]
  /// The most attributes of a shape; more means damage. Attributes of no bytes would make a short unit expensive.
  private static let mostAttributes = 128

  /// Reads the table at `offset` of `section`.
  init(_ section: [UInt8], at offset: UInt64, work: DwarfWork) {
    guard offset < UInt64(section.count) else { return }
    var cursor = ByteCursor(section, from: Int(offset))
    var shapeStart = cursor.offset
    while !cursor.isAtEnd, work.spend(cursor.offset - shapeStart) {
      shapeStart = cursor.offset
      let code = cursor.unsigned()
      guard code != 0 else { return }
      var shape = Shape(tag: cursor.unsigned(), hasChildren: cursor.byte() != 0, attributes: [])
      while !cursor.isAtEnd {
        let (name, form) = (cursor.unsigned(), cursor.unsigned())
        let implicit = form == DwarfForm.implicitConstant ? cursor.signed() : 0
        if name == 0, form == 0 { break }
        guard shape.attributes.count < Self.mostAttributes else { return }
        shape.attributes.append(Attribute(name: name, form: form, implicit: implicit))
      }
      if code == UInt64(shapes.count) { shapes.append(shape) } else { others[code] = shape }
    }
  }

  /// The shape with this code; nil where there is none.
  subscript(code: UInt64) -> Shape? { code < UInt64(shapes.count) ? shapes[Int(code)] : others[code] }
}
