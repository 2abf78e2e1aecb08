import StallwatchCore

/// Removes a session that is over, some rows at a time, so that no transaction is long. What is gone of it at any moment
/// stands in its rows of `removals`, until the session itself goes. Call it within a transaction.
struct SessionRemoval {
  private let details: DetailRemoval
  private let removals: RemovalStatements
  private let connection: Connection
  private let rest: [(delete: Statement, limit: Int)]
  private let deleteSession: Statement

  init(_ connection: Connection, _ details: DetailRemoval, _ removals: RemovalStatements) throws(SQLiteFailure) {
    (self.connection, self.details, self.removals) = (connection, details, removals)
    var found: [(Statement, Int)] = []
    // Each of these takes along a few rows of other tables.
    for table in ["stalls", "timers", "stacks", "intervals", "loops"] {
      found.append(
        (
          try connection.prepare(
            "DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) WHERE session = ?1 LIMIT ?2)"), 256
        ))
    }
    rest = found
    deleteSession = try connection.prepare("DELETE FROM sessions WHERE id = ?1")
  }

  /// What a call did.
  enum Outcome {
    /// The session is gone.
    case all
    /// Only this is, or what is too small to be reported.
    case part(Removed?)
  }

  /// Removes about `limit` rows.
  func remove(
    _ session: Int64, _ reason: Removed.Reason, atMost limit: Int, wallNow: Nanoseconds
  ) throws(SQLiteFailure) -> Outcome {
    let kinds: [(Removed.What, () throws(SQLiteFailure) -> DetailRemoval.Count)] = [
      (.stalls, { () throws(SQLiteFailure) in try details.removeStalls(of: session, before: .max, atMost: limit) }),
      (.ticks, { () throws(SQLiteFailure) in try details.removeTicks(of: session, before: .max, atMost: limit) }),
      (.windows, { () throws(SQLiteFailure) in try details.removeWindows(of: session, before: .max, atMost: limit) }),
      (.profiles, { () throws(SQLiteFailure) in try details.removeProfiles(of: session, atMost: limit) }),
    ]
    for (what, remove) in kinds {
      let (rows, until) = try remove()
      guard rows > 0 else { continue }
      let part = Removed(session: session, what: what, reason: reason, count: rows, until: until)
      try removals.note(part, wallNow: wallNow)
      return .part(part)
    }
    for (delete, limit) in rest {
      delete.bind(session, at: 1)
      delete.bind(Int64(limit), at: 2)
      try delete.run()
      if connection.changes > 0 { return .part(nil) }
    }
    deleteSession.bind(session, at: 1)
    try deleteSession.run()
    try removals.note(
      Removed(session: nil, what: .sessions, reason: reason, count: 1, until: nil), wallNow: wallNow)
    return .all
  }
}
