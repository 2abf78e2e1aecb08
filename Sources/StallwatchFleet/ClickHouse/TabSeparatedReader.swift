/// Reads ClickHouse's format TabSeparatedWithNamesAndTypes: a line of names, a line of types, and a line a row.
///
/// The only one that all versions know in which the answer says what its columns are.
struct TabSeparatedReader: Sendable {
  /// What came is not that format, or not the answer to the query.
  struct Broken: Error {
    var reason: String
  }

  /// The names of the columns and where they stand.
  final class Columns: Sendable {
    let places: [String: Int]
    let count: Int
    init(_ names: [String]) {
      places = Dictionary(zip(names, 0...), uniquingKeysWith: { first, _ in first })
      count = names.count
    }
  }

  /// The beginning of a line whose end has not come.
  private var rest: [UInt8] = []
  private var columns: Columns?
  private var hasTypes = false

  /// The most bytes of a line.
  private static let longestLine = 64 << 20

  /// Reads a piece of the answer.
  mutating func read(_ bytes: UnsafeRawBufferPointer, _ row: (ClickHouseRow) throws -> Void) throws {
    var piece = bytes[...]
    while let end = piece.firstIndex(of: UInt8(ascii: "\n")) {
      rest += piece[..<end]
      piece = piece[(end + 1)...]
      let line = rest
      rest = []
      try take(line, row)
    }
    guard rest.count + piece.count <= Self.longestLine else { throw Broken(reason: "a line of its has no end") }
    rest += piece
  }

  /// Must be called at the end. Throws where the answer is not whole.
  func finish() throws {
    guard rest.isEmpty, hasTypes else { throw Broken(reason: "the answer is not whole") }
  }

  private mutating func take(_ line: [UInt8], _ row: (ClickHouseRow) throws -> Void) throws {
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard let columns else {
      columns = Columns(try fields.map { try TabSeparatedText.text($0) })
      return
    }
    guard fields.count == columns.count else {
      let text = String(decoding: line.prefix(300), as: UTF8.self)
      throw Broken(reason: ClickHouseError.exception(in: text)?.reason ?? "a row has \(fields.count) columns")
    }
    guard hasTypes else {
      hasTypes = true
      return
    }
    try row(ClickHouseRow(columns: columns, fields: fields))
  }
}

/// The texts of that format.
enum TabSeparatedText {
  /// A text with its escapes undone.
  static func text(_ field: ArraySlice<UInt8>) throws -> String {
    guard field.contains(UInt8(ascii: "\\")) else { return String(decoding: field, as: UTF8.self) }
    var (bytes, rest) = ([UInt8](), field)
    bytes.reserveCapacity(field.count)
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard let code = rest.popFirst() else { throw TabSeparatedReader.Broken(reason: "a text ends in an escape") }
      bytes.append(unescaped(code))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The byte that a letter behind a backslash means.
  private static func unescaped(_ code: UInt8) -> UInt8 {
    switch code {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "0"): 0
    default: code
    }
  }

  /// The elements of an array, as they are written: `[1,2]`, `['a','b\'c']`.
  static func elements(_ field: ArraySlice<UInt8>) throws -> [ArraySlice<UInt8>] {
    guard field.count >= 2, field.first == UInt8(ascii: "["), field.last == UInt8(ascii: "]") else {
      throw TabSeparatedReader.Broken(reason: "an array is not one")
    }
    let inside = field.dropFirst().dropLast()
    if inside.isEmpty { return [] }
    var (found, start, place, isQuoted) = ([ArraySlice<UInt8>](), inside.startIndex, inside.startIndex, false)
    while place < inside.endIndex {
      switch inside[place] {
      case UInt8(ascii: "\\"): place += 1
      case UInt8(ascii: "'"): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        found.append(inside[start..<place])
        start = place + 1
      default: break
      }
      place += 1
    }
    guard !isQuoted, place == inside.endIndex else { throw TabSeparatedReader.Broken(reason: "an array has no end") }
    found.append(inside[start...])
    return found
  }

  /// What stands between an element's quotes.
  static func unquoted(_ element: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
    guard element.count >= 2, element.first == UInt8(ascii: "'"), element.last == UInt8(ascii: "'") else {
      throw TabSeparatedReader.Broken(reason: "a text has no quotes")
    }
    return element.dropFirst().dropLast()
  }
}
