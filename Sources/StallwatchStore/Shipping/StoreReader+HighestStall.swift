extension StoreReader {
  /// The highest number of a stall of the session; 0 without one.
  package func highestStall(session: Int64) throws -> UInt64 {
    try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare("SELECT max(number) FROM stalls WHERE session = ?1")
      statement.bind(session, at: 1)
      return UInt64(max(try statement.firstInteger() ?? 0, 0))
    }
  }
}
