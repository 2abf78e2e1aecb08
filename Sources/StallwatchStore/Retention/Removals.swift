import StallwatchCore

/// What was removed, in the words of the table `removals`.
package struct Removed: Sendable, Equatable {
  /// What kind of rows.
  package enum What: String, Sendable, CaseIterable {
    /// Windows of time whose cells became coarser.
    case cells
    /// Histograms that became part of one of a longer time.
    case histograms
    case samples, ticks, stalls, windows
    /// Stacks of profiles.
    case profiles
    case sessions
  }

  /// Which limit asked for it.
  package enum Reason: String, Sendable {
    case age, size
  }

  /// The session's row; nil for whole sessions.
  package var session: Int64?
  package var what: What
  package var reason: Reason
  /// How many rows.
  package var count: Int64
  /// It was about the time before this moment, on the session's monotonic clock; nil where there is no such moment.
  package var until: Nanoseconds?
}

/// Writes what was removed into the store, in the transaction that removes it.
struct RemovalStatements {
  private let add: Statement
  private let insert: Statement
  private let connection: Connection

  init(_ connection: Connection) throws(SQLiteFailure) {
    self.connection = connection
    // Not by a conflict: to the index, no two rows without a session are alike.
    add = try connection.prepare(
      """
      UPDATE removals SET count = min(count + ?4, 9223372036854775807),
        until_ns = max(ifnull(until_ns, ?5), ifnull(?5, until_ns)), removed_at = max(removed_at, ?6)
      WHERE session IS ?1 AND what = ?2 AND reason = ?3
      """)
    insert = try connection.prepare(
      "INSERT INTO removals (session, what, reason, count, until_ns, removed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
  }

  /// Adds to the row of its kind.
  func note(_ removed: Removed, wallNow: Nanoseconds) throws(SQLiteFailure) {
    for put in [add, insert] {
      put.bind(removed.session, at: 1)
      put.bind(removed.what.rawValue, at: 2)
      put.bind(removed.reason.rawValue, at: 3)
      put.bind(removed.count, at: 4)
      put.bind(removed.until, at: 5)
      put.bind(wallNow, at: 6)
      try put.run()
      if connection.changes > 0 { return }
    }
  }
}
