/// Reads JSON of a store's columns, parsed by SQLite. It compiles its statements once, and keeps what it parsed lately:
/// thousands of timers are in the same modes, and most stalls bear the annotations of the one before.
final class JSONReading {
  private let connection: Connection
  private var lists = RecentlyUsed<String, [String]>(capacity: 64)
  private var objects = RecentlyUsed<String, [String: String]>(capacity: 64)
  private lazy var statements = Result { () throws(SQLiteFailure) in try Statements(connection) }

  private struct Statements {
    let type: Statement
    let parts: Statement

    init(_ connection: Connection) throws(SQLiteFailure) {
      type = try connection.prepare("SELECT CASE WHEN json_valid(?1) THEN json_type(?1) END")
      parts = try connection.prepare("SELECT key, atom FROM json_each(?1)")
    }
  }

  init(_ connection: Connection) { self.connection = connection }

  /// The strings of a JSON array. Throws if `json` is no array.
  func elements(ofArray json: String) throws(SQLiteFailure) -> [String] {
    if let known = lists.value(of: json) { return known }
    var elements: [String] = []
    try parse(json, as: "array") { row throws(SQLiteFailure) in
      row.skip(1)
      elements.append(try row.text())
    }
    lists.insert(elements, of: json)
    return elements
  }

  /// The members of a JSON object of strings. Throws if `json` is no object.
  func members(ofObject json: String) throws(SQLiteFailure) -> [String: String] {
    if let known = objects.value(of: json) { return known }
    var members: [String: String] = [:]
    try parse(json, as: "object") { row throws(SQLiteFailure) in members[try row.text()] = try row.text() }
    objects.insert(members, of: json)
    return members
  }

  private func parse(
    _ json: String, as type: String, _ body: (inout Row) throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    let statements = try statements.get()
    statements.type.bind(json, at: 1)
    defer { statements.type.reset() }
    guard try statements.type.step() else { return }
    var found = statements.type.row
    guard try found.textIfAny() == type else { throw .badContents("a text is not a JSON \(type)") }
    statements.parts.bind(json, at: 1)
    defer { statements.parts.reset() }
    while try statements.parts.step() {
      var row = statements.parts.row
      try body(&row)
    }
  }
}
