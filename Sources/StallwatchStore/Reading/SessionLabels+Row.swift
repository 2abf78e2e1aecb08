import StallwatchCore

extension SessionLabels {
  /// The columns of `sessions` that ``init(_:)`` reads, and after them the program's build-id; NULL each where a store of
  /// `version` has none.
  static func columns(version: Int) -> String {
    let names = Name.allCases.map(\.rawValue) + ["program_build_id"]
    return names.map { version < 10 ? "NULL AS \($0)" : $0 }.joined(separator: ", ")
  }

  /// Reads the labels of a session, without its tags.
  init(_ row: inout Row) throws(SQLiteFailure) {
    self.init()
    for name in Name.allCases { self[name] = try row.textIfAny(longest: Self.longestText) }
  }

  /// Gives sessions, which are in the order of their rows, their tags.
  static func addTags(to sessions: inout [StoredSession], from connection: Connection) throws(SQLiteFailure) {
    let statement = try connection.prepare("SELECT session, name, value FROM tags ORDER BY session, name")
    var place = 0
    while try statement.step() {
      var row = statement.row
      let session: Int64 = try row.number()
      guard let name = try row.textIfAny(longest: longestTagName), let value = try row.textIfAny(longest: longestText)
      else {
        throw .badContents("a tag has no name or value")
      }
      while place < sessions.count, sessions[place].id < session { place += 1 }
      guard place < sessions.count, sessions[place].id == session else {
        throw .badContents("a tag belongs to no session, or tags are out of order")
      }
      guard sessions[place].record.labels.tags.updateValue(value, forKey: name) == nil,
        sessions[place].record.labels.tags.count <= mostTags
      else {
        throw .badContents("a session has too many tags, or one twice")
      }
    }
  }
}
