/// Writes messages in the wire format of protocol buffers (protobuf.dev, "Encoding").
package struct ProtobufWriter {
  /// The fields so far.
  package private(set) var bytes: [UInt8] = []

  private enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case delimited = 2
  }

  /// A message without fields.
  package init() {}

  /// A whole number; 0, the default of every field, is left out.
  package mutating func number(_ value: UInt64, field: UInt64) {
    guard value != 0 else { return }
    tag(field, .varint)
    varint(value)
  }

  /// A whole number of a choice between fields: written also where it is 0, because the one that is there is chosen.
  package mutating func chosen(_ value: UInt64, field: UInt64) {
    tag(field, .varint)
    varint(value)
  }

  /// A signed number of the types sint32 and sint64; 0 is left out.
  package mutating func zigzag(_ value: Int64, field: UInt64) {
    number(UInt64(bitPattern: value << 1 ^ value >> 63), field: field)
  }

  /// A number of the types fixed64 and sfixed64, by its bits. Written also where it is 0: of a choice between fields, the
  /// one that is there is chosen.
  package mutating func fixed(_ bits: UInt64, field: UInt64) {
    tag(field, .fixed64)
    for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
  }

  /// A number of the type double; written also where it is 0.
  package mutating func double(_ value: Double, field: UInt64) { fixed(value.bitPattern, field: field) }

  /// Numbers of a repeated field, packed.
  package mutating func numbers(_ values: [UInt64], field: UInt64) {
    guard !values.isEmpty else { return }
    var packed = ProtobufWriter()
    for value in values { packed.varint(value) }
    append(packed.bytes, field: field)
  }

  /// A text; written also where it is empty, because a table of texts must keep its places.
  package mutating func text(_ text: String, field: UInt64) { append(Array(text.utf8), field: field) }

  /// A message within this one.
  package mutating func message(field: UInt64, _ body: (inout ProtobufWriter) -> Void) {
    var inner = ProtobufWriter()
    body(&inner)
    append(inner.bytes, field: field)
  }

  private mutating func append(_ content: [UInt8], field: UInt64) {
    tag(field, .delimited)
    varint(UInt64(content.count))
    bytes += content
  }

  private mutating func tag(_ field: UInt64, _ type: WireType) { varint(field << 3 | type.rawValue) }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
