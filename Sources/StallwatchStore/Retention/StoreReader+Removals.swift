import StallwatchCore

extension StoreReader {
  /// What was removed from the store to keep to its limits, in the order of its sessions; whole sessions come first.
  package func removals() throws -> [Removed] {
    guard access.version >= 5 else { return [] }
    return try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare(
        "SELECT session, what, reason, count, until_ns FROM removals ORDER BY ifnull(session, 0), what, reason")
      var removals: [Removed] = []
      while try statement.step() {
        var row = statement.row
        removals.append(
          Removed(
            session: try row.integerIfAny(), what: try row.word(), reason: try row.word(),
            count: Int64(clamping: try row.number(UInt64.self)), until: try row.numberIfAny()))
      }
      return removals
    }
  }
}
