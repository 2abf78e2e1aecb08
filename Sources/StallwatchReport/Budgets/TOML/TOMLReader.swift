/// Reads a TOML 1.0 text (toml.io/en/v1.0.0) from front to back.
struct TOMLReader {
  private let bytes: [UInt8]
  /// The index of the next byte.
  private var place = 0
  /// How many values enclose the current position.
  private var depth = 0
  /// The most levels of nested values, and the most parts of a key. The reader treats more as damage.
  static let deepest = 32

  /// A reader at the start of `text`.
  init(_ text: String) { bytes = Array(text.utf8) }

  /// The next byte; nil at the end.
  var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  /// The byte `distance` bytes after the next one; nil past the end.
  func byte(after distance: Int) -> UInt8? { place + distance < bytes.count ? bytes[place + distance] : nil }

  /// Whether `text` comes next.
  func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[place...].starts(with: $0) }
  }

  /// Skips `count` bytes, up to the end of the text.
  mutating func skip(_ count: Int = 1) { place = min(place + count, bytes.count) }

  /// Skips `byte` if it comes next. Returns whether it did.
  mutating func skip(if byte: UInt8) -> Bool {
    guard next == byte else { return false }
    skip()
    return true
  }

  /// Skips and returns the next bytes for which `isWanted` holds.
  mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = bytes[place...].prefix(while: isWanted)
    place = taken.endIndex
    return taken
  }

  /// Skips spaces and tabs.
  mutating func skipSpace() { _ = take { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

  /// Skips spaces, comments and line ends.
  mutating func skipBlank() throws(TOMLError) {
    while true {
      skipSpace()
      try skipComment()
      guard skipLineEnd() else { return }
    }
  }

  /// Skips a comment, if one comes next, up to the end of its line.
  mutating func skipComment() throws(TOMLError) {
    guard next == UInt8(ascii: "#") else { return }
    while let byte = next, byte != UInt8(ascii: "\n"), !isAt("\r\n") {
      guard !Self.isControl(byte) else { throw error("has a control character in a comment") }
      skip()
    }
  }

  /// Skips a line end if it comes next. Returns whether it did.
  mutating func skipLineEnd() -> Bool {
    let width = isAt("\r\n") ? 2 : next == UInt8(ascii: "\n") ? 1 : 0
    skip(width)
    return width > 0
  }

  /// Skips the space and comment after a statement, and its line end.
  mutating func finishLine() throws(TOMLError) {
    skipSpace()
    try skipComment()
    guard skipLineEnd() || next == nil else { throw unexpected(wanted: "the end of the line") }
  }

  /// Whether `byte` is a control character, which texts and comments must not contain. A tab is not one.
  static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F }

  /// Runs `read` one level of nesting deeper. Throws beyond ``deepest`` levels.
  mutating func deeper<Value>(_ read: (inout TOMLReader) throws(TOMLError) -> Value) throws(TOMLError) -> Value {
    guard depth < Self.deepest else { throw error("nests values more than \(Self.deepest) deep") }
    depth += 1
    defer { depth -= 1 }
    return try read(&self)
  }

  /// An error at the current line.
  func error(_ message: String) -> TOMLError {
    TOMLError(line: bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1, message: message)
  }

  /// An error that names what stands here instead of `wanted`.
  func unexpected(wanted: String) -> TOMLError {
    guard let next else { return error("ends where \(wanted) should be") }
    if next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r") { return error("ends where \(wanted) should be") }
    let rest = String(decoding: bytes[place...].prefix(32), as: UTF8.self)
    return error("has '\(rest.first.map { DisplayText.harmless(String($0)) } ?? "")' where \(wanted) should be")
  }
}
