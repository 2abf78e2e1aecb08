import StallwatchCore

extension StoreReader {
  /// The highest number of a stall that the session has or is known to have had; 0 without one. `removed` is how many
  /// of its stalls were removed: numbers begin at 1, so it had at least these and what is left.
  package func highestStall(session: Int64, removed: UInt64) throws -> UInt64 {
    try access.read { connection throws(SQLiteFailure) in
      let find = { (query: String) throws(SQLiteFailure) -> UInt64 in
        let statement = try connection.prepare(query)
        statement.bind(session, at: 1)
        return UInt64(max(try statement.firstInteger() ?? 0, 0))
      }
      let highest = try find("SELECT max(number) FROM stalls WHERE session = ?1")
      guard removed > 0 else { return highest }
      return max(highest, try find("SELECT count(*) FROM stalls WHERE session = ?1").saturatingAdd(removed))
    }
  }
}
