import StallwatchReport

/// Writes a JSON document piece by piece, keys in the order of the calls, so that a list of a million stalls takes no
/// memory.
///
/// Writes unknown values as `null`. The closure forms close every object and array.
package struct JSONWriter {
  private var sink: TextSink
  private var buffer = ""
  /// For each open object or array, whether its next element is the first.
  private var isFirst: [Bool] = []
  /// The nesting level from which on everything stays on one line.
  private var inlineDepth = Int.max
  private var afterKey = false

  /// A writer into `sink`.
  package init(to sink: @escaping TextSink) { self.sink = sink }

  /// Writes an object, on one line if `inline`.
  package mutating func object(inline: Bool = false, _ body: (inout JSONWriter) throws -> Void) throws {
    try nested("{", "}", inline: inline, body)
  }

  /// Writes an array, on one line if `inline`.
  package mutating func array(inline: Bool = false, _ body: (inout JSONWriter) throws -> Void) throws {
    try nested("[", "]", inline: inline, body)
  }

  /// Writes a key. A value, object or array must follow.
  package mutating func key(_ name: String) throws {
    try separate()
    Self.appendQuoted(name, to: &buffer)
    buffer += ": "
    afterKey = true
  }

  /// Writes a string or null.
  package mutating func value(_ string: String?) throws {
    try separate()
    if let string { Self.appendQuoted(string, to: &buffer) } else { buffer += "null" }
  }

  /// Writes a whole number or null.
  package mutating func value(_ number: (some BinaryInteger)?) throws {
    try separate()
    if let number { buffer += String(number) } else { buffer += "null" }
  }

  /// Writes a number, or null for an unknown, infinite or undefined one.
  package mutating func value(_ number: Double?) throws {
    try separate()
    if let number, number.isFinite { buffer += number.description } else { buffer += "null" }
  }

  /// Writes true, false or null.
  package mutating func value(_ flag: Bool?) throws {
    try separate()
    buffer += flag.map { $0 ? "true" : "false" } ?? "null"
  }

  /// Writes null.
  package mutating func null() throws {
    try separate()
    buffer += "null"
  }

  /// Hands the rest over to the sink. Call once, at the end.
  package mutating func finish() throws {
    try sink(buffer + "\n")
    buffer = ""
  }

  private mutating func nested(
    _ open: String, _ close: String, inline: Bool, _ body: (inout JSONWriter) throws -> Void
  ) throws {
    try separate()
    buffer += open
    isFirst.append(true)
    let outerInline = inlineDepth
    if inline { inlineDepth = min(inlineDepth, isFirst.count) }
    try body(&self)
    let wasEmpty = isFirst.removeLast()
    if !wasEmpty, isFirst.count + 1 < inlineDepth { breakLine() }
    inlineDepth = outerInline
    buffer += close
  }

  /// Writes the separator before the next element, and hands over a full buffer.
  private mutating func separate() throws {
    if buffer.utf8.count >= 65_536 {
      try sink(buffer)
      buffer.removeAll(keepingCapacity: true)
    }
    if afterKey {
      afterKey = false
      return
    }
    guard let first = isFirst.last else { return }
    if !first { buffer += "," }
    if isFirst.count < inlineDepth { breakLine() } else if !first { buffer += " " }
    isFirst[isFirst.count - 1] = false
  }

  private mutating func breakLine() {
    buffer += "\n"
    for _ in isFirst { buffer += "  " }
  }

  /// Appends a string with JSON's escapes. Also escapes control characters beyond ASCII, on which terminals act; line
  /// separators U+2028 and U+2029, on which JavaScript fails; and U+FEFF, which some parsers take for a byte order
  /// mark.
  private static func appendQuoted(_ string: String, to text: inout String) {
    text += "\""
    if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
      text += string
    } else {
      for scalar in string.unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case "\n": text += "\\n"
        case "\t": text += "\\t"
        case "\r": text += "\\r"
        case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}":
          let hex = String(scalar.value, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }
}
