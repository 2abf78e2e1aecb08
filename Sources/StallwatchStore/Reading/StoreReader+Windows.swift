import StallwatchCore

extension StoreReader {
  /// The length of a session's profile windows, in nanoseconds; nil when there is no such session.
  package func windowLength(session: Int64) throws -> Nanoseconds? {
    try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare("SELECT window_ns FROM sessions WHERE id = ?1")
      statement.bind(session, at: 1)
      guard try statement.step() else { return nil }
      var row = statement.row
      return try row.number()
    }
  }

  /// The rows and names of a loop's modes, in the order in which the modes were seen.
  package func modeNames(loop: Int64) throws -> [(Int64, String)] {
    try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare("SELECT id, name FROM modes WHERE loop = ?1 ORDER BY number")
      statement.bind(loop, at: 1)
      var names: [(Int64, String)] = []
      while try statement.step() {
        var row = statement.row
        names.append((try row.number(), try row.text()))
      }
      return names
    }
  }

  /// Calls `body` for every window of every metric of the loop in row `loop`, metric by metric, without histograms.
  /// Also throws what `body` throws.
  package func forEachWindow(loop: Int64, _ body: (StoredWindow) throws -> Void) throws {
    let statement = try access.read { connection throws(SQLiteFailure) in
      try connection.prepare(
        """
        SELECT modes.id, metric, started_ns, count, total_ns, max_ns
        FROM modes JOIN profile_windows ON profile_windows.mode = modes.id
        WHERE modes.loop = ?1 ORDER BY modes.number, metric, started_ns
        """)
    }
    statement.bind(loop, at: 1)
    defer { statement.reset() }
    while let window = try reportingFailures(
      of: access.path,
      { () throws(SQLiteFailure) -> StoredWindow? in
        guard try statement.step() else { return nil }
        var row = statement.row
        return StoredWindow(
          mode: try row.number(), metric: try row.word { name in Metric.allCases.first { $0.name == name } },
          startedNs: try row.number(), count: try row.number(), total: try row.number(), maximum: try row.number())
      })
    {
      try body(window)
    }
    try access.checkUndisturbed()
  }
}
