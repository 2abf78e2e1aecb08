/// Writes messages in the wire format of protocol buffers (protobuf.dev, "Encoding").
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  private enum WireType: UInt64 {
    case varint = 0
    case delimited = 2
  }

  /// A whole number; 0, the default of every field, is left out.
  mutating func number(_ value: UInt64, field: UInt64) {
    guard value != 0 else { return }
    tag(field, .varint)
    varint(value)
  }

  /// Numbers of a repeated field, packed.
  mutating func numbers(_ values: [UInt64], field: UInt64) {
    guard !values.isEmpty else { return }
    var packed = ProtobufWriter()
    for value in values { packed.varint(value) }
    append(packed.bytes, field: field)
  }

  /// A text; written also where it is empty, because a table of texts must keep its places.
  mutating func text(_ text: String, field: UInt64) { append(Array(text.utf8), field: field) }

  /// A message within this one.
  mutating func message(field: UInt64, _ body: (inout ProtobufWriter) -> Void) {
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
