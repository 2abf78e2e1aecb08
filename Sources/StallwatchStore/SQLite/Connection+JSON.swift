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
