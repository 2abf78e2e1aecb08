/// Encodings of attributes (`DW_FORM_…`, section 7.5.6 of the DWARF 5 standard; 0x1F01 and later are GNU's).
enum DwarfForm {
  static let address: UInt64 = 0x01
  static let string: UInt64 = 0x08
  static let signedData: UInt64 = 0x0D
  static let stringPointer: UInt64 = 0x0E
  static let referenceToAddress: UInt64 = 0x10
  static let implicitConstant: UInt64 = 0x21
  static let lineStringPointer: UInt64 = 0x1F
  static let rangeListIndex: UInt64 = 0x23
  static let indirect: UInt64 = 0x16
  static let data16: UInt64 = 0x1E
  static let block: UInt64 = 0x09

  /// Whether the value is an index into the unit's table of string offsets.
  static func isStringIndex(_ form: UInt64) -> Bool { form == 0x1A || (0x25...0x28).contains(form) || form == 0x1F02 }

  /// Whether the value is an index into the unit's table of addresses.
  static func isAddressIndex(_ form: UInt64) -> Bool { form == 0x1B || (0x29...0x2C).contains(form) || form == 0x1F01 }

  /// Whether the value is an offset from the start of its unit.
  static func isUnitReference(_ form: UInt64) -> Bool { (0x11...0x15).contains(form) }
}

/// The widths of a unit's offsets and addresses.
struct DwarfWidths {
  /// Bytes per address.
  var address: Int
  /// Bytes per offset into a section: 4, or 8 in the 64-bit format.
  var offset: Int
  /// The DWARF version.
  var version: UInt64
}

/// An attribute's raw value. Its meaning depends on its form.
struct DwarfValue {
  /// The encoding that was read.
  var form: UInt64
  /// The number; for texts and blocks, their offset in the section.
  var number: UInt64
}

extension ByteCursor {
  /// Reads the next attribute's value. An unknown form breaks the cursor, because its length is unknown.
  mutating func value(form: UInt64, implicit: Int64 = 0, widths: DwarfWidths) -> DwarfValue {
    var form = form
    if form == DwarfForm.indirect { form = unsigned() }
    let number: UInt64
    switch form {
    case DwarfForm.address: number = self.number(widths.address)
    case 0x0B, 0x0C, 0x11, 0x25, 0x29: number = self.number(1)
    case 0x05, 0x12, 0x26, 0x2A: number = self.number(2)
    case 0x27, 0x2B: number = self.number(3)
    case 0x06, 0x13, 0x1C, 0x28, 0x2C: number = self.number(4)
    case 0x07, 0x14, 0x20, 0x24: number = self.number(8)
    case DwarfForm.signedData: number = UInt64(bitPattern: signed())
    case 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23, 0x1F01, 0x1F02: number = unsigned()
    case DwarfForm.stringPointer, 0x17, 0x1D, DwarfForm.lineStringPointer, 0x1F20, 0x1F21:
      number = self.number(widths.offset)
    case DwarfForm.referenceToAddress: number = self.number(widths.version <= 2 ? widths.address : widths.offset)
    case DwarfForm.implicitConstant: number = UInt64(bitPattern: implicit)
    case 0x19: number = 1
    case DwarfForm.string:
      number = UInt64(offset)
      skipText()
    case DwarfForm.data16: number = block(16)
    case 0x0A: number = block(self.number(1))
    case 0x03: number = block(self.number(2))
    case 0x04: number = block(self.number(4))
    case DwarfForm.block, 0x18: number = block(unsigned())
    default:
      number = 0
      skip(.max)
    }
    return DwarfValue(form: form, number: number)
  }

  private mutating func block(_ length: UInt64) -> UInt64 {
    let start = UInt64(offset)
    skip(length)
    return start
  }
}
