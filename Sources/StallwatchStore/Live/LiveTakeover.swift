import StallwatchCore

/// What of a session's live region the store does not have yet, and brings it in.
struct LiveTakeover {
  /// The session's row.
  let session: Int64
  private let connection: Connection

  init(session: Int64, _ connection: Connection) {
    self.session = session
    self.connection = connection
  }

  /// The figures of a live region that belong to this session and are not in the store: those of loops that go on, if
  /// no closing came since they were written. A region of another session, or one that names rows of others, has none.
  /// ``LiveFigures/lastSeenNs`` holds in any case.
  func figures(of live: LiveRegionFile) throws(SQLiteFailure) -> LiveFigures? {
    let statement = try connection.prepare("SELECT started_ns, closings FROM sessions WHERE id = ?1")
    statement.bind(session, at: 1)
    guard try statement.step() else { return nil }
    var row = statement.row
    let (startedNs, closings): (Nanoseconds, Int64) = (try row.number(), try row.number())
    statement.reset()
    guard live.header.session == session, live.header.startedNs == startedNs else { return nil }
    var figures = LiveFigures(lastSeenNs: live.figures.lastSeenNs, isDamaged: live.figures.isDamaged)
    guard live.figures.closings == closings else { return figures }
    figures = live.figures
    let loops = try rows("SELECT id FROM loops WHERE session = ?1 AND ended_ns IS NULL")
    let modes = try rows(
      "SELECT modes.id FROM modes JOIN loops ON loops.id = modes.loop WHERE session = ?1 AND ended_ns IS NULL")
    let timers = try rows("SELECT id FROM timers WHERE session = ?1")
    figures.loops.removeAll { !loops.contains($0.row) }
    figures.modes.removeAll { !modes.contains($0.row) || !loops.contains($0.loop) }
    figures.timers.removeAll { !timers.contains($0.row) }
    for place in figures.timers.indices {
      figures.timers[place].drops = figures.timers[place].drops.filter { modes.contains($0.key) }
    }
    figures.ticks.removeAll { !loops.contains($0.loop) }
    return figures
  }

  private func rows(_ sql: String) throws(SQLiteFailure) -> Set<Int64> {
    let statement = try connection.prepare(sql)
    statement.bind(session, at: 1)
    var rows: Set<Int64> = []
    while try statement.step() {
      var row = statement.row
      rows.insert(try row.number())
    }
    return rows
  }

  /// Writes those figures into the store. Call it within a transaction. Returns the last sign of life; nil when the
  /// region is not this session's.
  func bringIn(_ live: LiveRegionFile) throws(SQLiteFailure) -> Nanoseconds? {
    guard let figures = try figures(of: live) else { return nil }
    let length = Nanoseconds(
      try connection.firstInteger("SELECT window_ns FROM sessions WHERE id = \(session)").map { max($0, 1) } ?? 1)
    _ = try FigureStatements(connection).put(figures, session: session, metricLength: length)
    let lastSeen = Int64(clamping: figures.lastSeenNs)
    try connection.run(
      """
      UPDATE sessions SET closings = closings + 1, last_seen_ns = max(last_seen_ns, \(lastSeen)) WHERE id = \(session)
      """)
    if figures.isDamaged { try noteDamage() }
    return figures.lastSeenNs
  }

  /// Notes in the store that the region could not be read, or only in part.
  func noteDamage() throws(SQLiteFailure) {
    let note = try connection.prepare("UPDATE sessions SET trouble = coalesce(trouble || '; ', '') || ?2 WHERE id = ?1")
    note.bind(session, at: 1)
    note.bind(LiveRegionFile.damage, at: 2)
    try note.run()
  }
}
