extension TOMLReader {
  /// Reads a string in any of the four kinds of quotes.
  mutating func text() throws(TOMLError) -> String {
    if isAt("\"\"\"") { return try longText(quote: UInt8(ascii: "\"")) }
    if isAt("'''") { return try longText(quote: UInt8(ascii: "'")) }
    return next == UInt8(ascii: "\"") ? try basicText() : try literalText()
  }

  /// Reads `"text"` and resolves its escapes.
  mutating func basicText() throws(TOMLError) -> String {
    skip()
    var text: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        try escape(into: &text)
      } else {
        try plain(byte, into: &text)
      }
    }
    guard skip(if: UInt8(ascii: "\"")) else { throw unexpected(wanted: "the text's closing quote") }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads `'text'`, which has no escapes.
  mutating func literalText() throws(TOMLError) -> String {
    skip()
    var text: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "'") { try plain(byte, into: &text) }
    guard skip(if: UInt8(ascii: "'")) else { throw unexpected(wanted: "the text's closing quote") }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads a multi-line string in triple quotes. One or two quotes may stand inside it, also right before its end.
  private mutating func longText(quote: UInt8) throws(TOMLError) -> String {
    skip(3)
    _ = skipLineEnd()
    var text: [UInt8] = []
    while let byte = next {
      if byte == quote {
        let quotes = take { $0 == quote }.count
        if quotes >= 3 {
          guard quotes <= 5 else { throw error("has more than five quotes in a row") }
          return String(decoding: text + [UInt8](repeating: quote, count: quotes - 3), as: UTF8.self)
        }
        text += [UInt8](repeating: quote, count: quotes)
      } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        if !skipEscapedLineEnd() { try escape(into: &text) }
      } else if skipLineEnd() {
        text.append(UInt8(ascii: "\n"))
      } else {
        try plain(byte, into: &text)
      }
    }
    throw unexpected(wanted: "the text's closing quotes")
  }

  private mutating func plain(_ byte: UInt8, into text: inout [UInt8]) throws(TOMLError) {
    if byte == UInt8(ascii: "\n") || isAt("\r\n") { throw unexpected(wanted: "the text's closing quote") }
    guard !Self.isControl(byte) else { throw error("has a control character in a text") }
    text.append(byte)
    skip()
  }

  /// Skips a backslash at the end of a line and all blank space after it. Returns whether there was one.
  private mutating func skipEscapedLineEnd() -> Bool {
    var ahead = self
    ahead.skip()
    ahead.skipSpace()
    guard ahead.skipLineEnd() else { return false }
    repeat { ahead.skipSpace() } while ahead.skipLineEnd()
    self = ahead
    return true
  }

  private mutating func escape(into text: inout [UInt8]) throws(TOMLError) {
    skip()
    guard let kind = next else { throw unexpected(wanted: "the rest of an escape") }
    switch kind {
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(kind)
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      skip()
      let width = kind == UInt8(ascii: "u") ? 4 : 8
      var code: UInt32 = 0
      for _ in 0..<width {
        guard let digit = next.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else {
          throw unexpected(wanted: "a hexadecimal digit")
        }
        code = code << 4 | UInt32(digit)
        skip()
      }
      guard let scalar = UnicodeScalar(code) else { throw error("has an escape that is not a character") }
      text += Array(String(Character(scalar)).utf8)
      return
    default: throw error("has an escape that TOML does not know")
    }
    skip()
  }
}
