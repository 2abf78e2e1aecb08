extension Connection {
  /// The strings of a JSON array, parsed by SQLite. Throws if `json` is no array.
  func elements(ofArray json: String) throws(SQLiteFailure) -> [String] {
    try check(json, isOf: "array")
    let statement = try prepare("SELECT atom FROM json_each(?1)")
    statement.bind(json, at: 1)
    var elements: [String] = []
    while try statement.step() {
      var row = statement.row
      elements.append(try row.text())
    }
    return elements
  }

  /// The members of a JSON object of strings, parsed by SQLite. Throws if `json` is no object.
  func members(ofObject json: String) throws(SQLiteFailure) -> [String: String] {
    try check(json, isOf: "object")
    let statement = try prepare("SELECT key, atom FROM json_each(?1)")
    statement.bind(json, at: 1)
    var members: [String: String] = [:]
    while try statement.step() {
      var row = statement.row
      members[try row.text()] = try row.text()
    }
    return members
  }

  private func check(_ json: String, isOf type: String) throws(SQLiteFailure) {
    let statement = try prepare("SELECT CASE WHEN json_valid(?1) THEN json_type(?1) END")
    statement.bind(json, at: 1)
    guard try statement.step() else { return }
    var row = statement.row
    guard try row.textIfAny() == type else { throw .badContents("a text is not a JSON \(type)") }
  }
}

/// The JSON arrays of strings parsed lately: thousands of timers are in the same modes, and share one list of them.
final class KnownLists {
  private let connection: Connection
  private var known = RecentlyUsed<String, [String]>(capacity: 64)

  init(_ connection: Connection) { self.connection = connection }

  /// The strings of a JSON array. Throws if `json` is no array.
  func elements(ofArray json: String) throws(SQLiteFailure) -> [String] {
    if let elements = known.value(of: json) { return elements }
    let elements = try connection.elements(ofArray: json)
    known.insert(elements, of: json)
    return elements
  }
}
