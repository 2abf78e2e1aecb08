extension BudgetValue {
  /// The value of a TOML text, always a table. Throws ``TOMLError``.
  package init(toml text: String) throws(TOMLError) {
    var reader = TOMLReader(text)
    self = try reader.document()
  }
}

extension TOMLReader {
  /// Reads all statements to the end of the text.
  mutating func document() throws(TOMLError) -> BudgetValue {
    let root = TOMLTable(.header)
    var table = root
    if isAt("\u{FEFF}") { skip(3) }
    while true {
      try skipBlank()
      guard let byte = next else { return root.value }
      if byte == UInt8(ascii: "[") {
        table = try header(root)
      } else {
        try pair(into: table)
      }
      try finishLine()
    }
  }

  /// Reads `[keys]` or `[[keys]]` and returns the table that it begins.
  private mutating func header(_ root: TOMLTable) throws(TOMLError) -> TOMLTable {
    let begin = self
    let isRow = isAt("[[")
    skip(isRow ? 2 : 1)
    skipSpace()
    let keys = try self.keys()
    guard isRow ? isAt("]]") : next == UInt8(ascii: "]") else { throw unexpected(wanted: isRow ? "]]" : "]") }
    skip(isRow ? 2 : 1)
    guard let table = isRow ? root.table(rowHeader: keys) : root.table(header: keys) else {
      throw begin.error("begins \(Self.shown(keys)) a second time")
    }
    return table
  }

  /// Reads `keys = value`.
  private mutating func pair(into table: TOMLTable) throws(TOMLError) {
    let begin = self
    let keys = try self.keys()
    guard skip(if: UInt8(ascii: "=")) else { throw unexpected(wanted: "=") }
    skipSpace()
    guard table.set(keys, try value()) else {
      throw begin.error("sets \(Self.shown(keys)) a second time")
    }
  }

  /// Reads keys separated by dots, and the space after them.
  private mutating func keys() throws(TOMLError) -> [String] {
    var keys: [String] = []
    repeat {
      guard keys.count < Self.deepest else { throw error("has a key of more than \(Self.deepest) parts") }
      skipSpace()
      keys.append(try key())
      skipSpace()
    } while skip(if: UInt8(ascii: "."))
    return keys
  }

  private mutating func key() throws(TOMLError) -> String {
    if next == UInt8(ascii: "\"") { return try basicText() }
    if next == UInt8(ascii: "'") { return try literalText() }
    let bare = take { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard !bare.isEmpty else { throw unexpected(wanted: "a key") }
    return String(decoding: bare, as: UTF8.self)
  }

  /// Reads `[values]`, over any number of lines.
  mutating func list() throws(TOMLError) -> BudgetValue {
    skip()
    var values: [BudgetValue] = []
    while true {
      try skipBlank()
      if skip(if: UInt8(ascii: "]")) { return .list(values) }
      values.append(try value())
      try skipBlank()
      guard skip(if: UInt8(ascii: ",")) || next == UInt8(ascii: "]") else { throw unexpected(wanted: ", or ]") }
    }
  }

  /// Reads `{keys = value, …}` on one line.
  mutating func inlineTable() throws(TOMLError) -> BudgetValue {
    skip()
    let table = TOMLTable(.header)
    skipSpace()
    if skip(if: UInt8(ascii: "}")) { return table.value }
    while true {
      skipSpace()
      try pair(into: table)
      skipSpace()
      if skip(if: UInt8(ascii: "}")) { return table.value }
      guard skip(if: UInt8(ascii: ",")) else { throw unexpected(wanted: ", or }") }
    }
  }

  private static func shown(_ keys: [String]) -> String { DisplayText.name(keys.joined(separator: "."), to: 60) }
}
