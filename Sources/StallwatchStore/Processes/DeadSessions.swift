import StallwatchCore

/// Completes the sessions of processes that died without closing them.
enum DeadSessions {
  /// Marks these sessions as killed, brings in the figures of their live regions, and marks their open stalls as fatal
  /// until the last sign of life. Call it within a transaction. With `image`, treats sessions left by a former program
  /// of this process as dead too. Returns the paths of the live regions, to be removed once the transaction is done.
  static func finalise(in connection: Connection, image: ProgramImage? = nil) throws(SQLiteFailure) -> [String] {
    for var session in try dead(in: connection, image: image) {
      let path = LiveRegion.path(of: session.row, store: connection.path)
      let takeover = LiveTakeover(session: session.row, connection)
      if let live = LiveRegionFile(path: path) {
        session.lastSeenNs = max(session.lastSeenNs, try takeover.bringIn(live) ?? 0)
      } else if StorePath.exists(path) {
        try takeover.noteDamage()
      }
      try connection.run("UPDATE sessions SET ended = 'killed' WHERE id = \(session.row)")
      try finaliseStalls(of: session, in: connection)
    }
    return try ended(in: connection).map { LiveRegion.path(of: $0, store: connection.path) }
  }

  /// The sessions with a live region that are over, also those whose end came before their region was removed.
  private static func ended(in connection: Connection) throws(SQLiteFailure) -> [Int64] {
    let regions = Set(LiveRegions.sessions(besides: connection.path))
    guard !regions.isEmpty else { return [] }
    let statement = try connection.prepare("SELECT id FROM sessions WHERE ended <> 'running'")
    var ended: [Int64] = []
    while try statement.step() {
      var row = statement.row
      let session: Int64 = try row.number()
      if regions.contains(session) { ended.append(session) }
    }
    return ended
  }

  private struct DeadSession {
    let row: Int64
    var lastSeenNs: Nanoseconds
  }

  private static func dead(in connection: Connection, image: ProgramImage?) throws(SQLiteFailure) -> [DeadSession] {
    let statement = try connection.prepare(
      """
      SELECT id, last_seen_ns, pid, process_start, boot_id, host, origin, started_ns
      FROM sessions WHERE ended = 'running'
      """)
    var dead: [DeadSession] = []
    while try statement.step() {
      var row = statement.row
      let session = DeadSession(row: try row.number(), lastSeenNs: try row.number())
      let process = ProcessIdentity(
        pid: try row.number(), startTime: try row.number(), bootID: try row.text(), host: try row.text())
      let (origin, startedNs): (String, Nanoseconds) = (try row.text(), try row.number())
      let isReplaced = image?.replaced(process, origin: origin, startedNs: startedNs) ?? false
      if isReplaced || !process.isAlive { dead.append(session) }
    }
    return dead
  }

  private static func finaliseStalls(of session: DeadSession, in connection: Connection) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      "SELECT id, started_ns FROM stalls WHERE session = ?1 AND state = 'began'")
    statement.bind(session.row, at: 1)
    var completions: [StallCompletion] = []
    while try statement.step() {
      var row = statement.row
      let id: Int64 = try row.number()
      let startedNs: Nanoseconds = try row.number()
      completions.append(StallCompletion(row: id, state: .fatal, duration: session.lastSeenNs.since(startedNs)))
    }
    let complete = try connection.prepare(StallCompletion.sql)
    for completion in completions { try completion.write(by: complete) }
  }
}
