/// Reads a text in TOML 1.0 (toml.io/en/v1.0.0) from front to back.
struct TOMLReader {
  private let bytes: [UInt8]
  /// Where the next character is.
  private var place = 0
  /// How many values lie within each other at this place.
  private var depth = 0
  /// Values and keys that lie deeper are taken for damage.
  static let deepest = 32

  /// A reader of `text`.
  init(_ text: String) { bytes = Array(text.utf8) }

  /// The next byte; nil at the end.
  var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  /// The byte so far behind the next one.
  func byte(after distance: Int) -> UInt8? { place + distance < bytes.count ? bytes[place + distance] : nil }

  /// Whether `text` comes next.
  func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[place...].starts(with: $0) }
  }

  /// Passes over `count` bytes.
  mutating func skip(_ count: Int = 1) { place = min(place + count, bytes.count) }

  /// Passes over `byte`, if it comes next, and says whether it did.
  mutating func skip(if byte: UInt8) -> Bool {
    guard next == byte else { return false }
    skip()
    return true
  }

  /// The bytes from here on for which `isWanted` holds, passed over.
  mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = bytes[place...].prefix(while: isWanted)
    place = taken.endIndex
    return taken
  }

  /// Passes over spaces and tabs.
  mutating func skipSpace() { _ = take { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

  /// Passes over spaces, comments and ends of lines.
  mutating func skipBlank() throws(TOMLError) {
    while true {
      skipSpace()
      try skipComment()
      guard skipLineEnd() else { return }
    }
  }

  /// Passes over a comment, if one comes next, up to the end of its line.
  mutating func skipComment() throws(TOMLError) {
    guard next == UInt8(ascii: "#") else { return }
    while let byte = next, byte != UInt8(ascii: "\n"), !isAt("\r\n") {
      guard !Self.isControl(byte) else { throw error("has a control character in a comment") }
      skip()
    }
  }

  /// Passes over the end of a line, if it comes next, and says whether it did.
  mutating func skipLineEnd() -> Bool {
    let width = isAt("\r\n") ? 2 : next == UInt8(ascii: "\n") ? 1 : 0
    skip(width)
    return width > 0
  }

  /// Passes over what may stand behind a statement, and its line's end.
  mutating func finishLine() throws(TOMLError) {
    skipSpace()
    try skipComment()
    guard skipLineEnd() || next == nil else { throw unexpected(wanted: "the end of the line") }
  }

  /// Whether `byte` is a control character, which no text or comment may have. The tab is none.
  static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F }

  /// Reads what lies one level deeper.
  mutating func deeper<Value>(_ read: (inout TOMLReader) throws(TOMLError) -> Value) throws(TOMLError) -> Value {
    guard depth < Self.deepest else { throw error("has more than \(Self.deepest) values within each other") }
    depth += 1
    defer { depth -= 1 }
    return try read(&self)
  }

  /// What is wrong at this place.
  func error(_ message: String) -> TOMLError {
    TOMLError(line: bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1, message: message)
  }

  /// What stands at this place instead of what is wanted.
  func unexpected(wanted: String) -> TOMLError {
    guard let next else { return error("ends where \(wanted) should be") }
    if next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r") { return error("ends where \(wanted) should be") }
    let rest = String(decoding: bytes[place...].prefix(32), as: UTF8.self)
    return error("has '\(rest.first.map { DisplayText.harmless(String($0)) } ?? "")' where \(wanted) should be")
  }
}
