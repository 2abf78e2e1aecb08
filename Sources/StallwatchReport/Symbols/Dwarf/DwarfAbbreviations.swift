/// The shapes of a unit's entries: which tag, which attributes in which form.
struct DwarfAbbreviations {
  /// The shape of an entry.
  struct Shape {
    /// What the entry describes.
    var tag: UInt64
    /// Whether entries within it follow.
    var hasChildren: Bool
    /// Its attributes, in the order in which they are written.
    var attributes: [Attribute]
  }

  /// An attribute of a shape.
  struct Attribute {
    /// What it tells (`DW_AT_…`).
    var name: UInt64
    /// How it is written.
    var form: UInt64
    /// Its value, where the form says that it stands here.
    var implicit: Int64
  }

  /// By code: compilers count codes from 1.
  private var shapes: [Shape?] = [nil]
  /// Those whose codes are out of that order.
  private var others: [UInt64: Shape] = [:]
  /// A table in which a shape has more attributes is taken for damage: those that take no bytes make a long work of a
  /// short unit.
  private static let mostAttributes = 128

  /// The table at `offset` of `section`.
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

  /// The shape with that code.
  subscript(code: UInt64) -> Shape? { code < UInt64(shapes.count) ? shapes[Int(code)] : others[code] }
}
