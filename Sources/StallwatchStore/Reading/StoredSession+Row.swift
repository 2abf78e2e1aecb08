import StallwatchCore

extension StoredSession {
  /// All sessions of a store, oldest first, with what only their live regions have. One left open is `killed` if its
  /// process no longer lives.
  static func all(
    in connection: Connection, json: JSONReading, regions: [Int64: LiveRegionFile?], version: Int
  ) throws(SQLiteFailure) -> ([StoredSession], [Int64: LiveFigures]) {
    let statement = try connection.prepare(
      """
      SELECT id, pid, process_start, boot_id, host, command, started_at, started_ns, threshold_ns, origin, platform,
        ended, exit_status, last_seen_ns, \(SessionLabels.columns(version: version))
      FROM sessions ORDER BY id
      """)
    var sessions: [StoredSession] = []
    var order = RowOrder<Int64>("sessions")
    while try statement.step() {
      sessions.append(try StoredSession(statement.row, json: json))
      try order.take(sessions[sessions.count - 1].id)
    }
    if version >= 10 { try SessionLabels.addTags(to: &sessions, from: connection) }
    var live: [Int64: LiveFigures] = [:]
    for place in sessions.indices where sessions[place].isOpen {
      let session = sessions[place].id
      guard let region = regions[session] else { continue }
      guard let region else {
        if sessions[place].ended == .killed { live[session] = LiveFigures(isDamaged: true) }
        continue
      }
      guard let figures = try LiveTakeover(session: session, connection).figures(of: region) else { continue }
      live[session] = figures
      sessions[place].lastSeenNs = max(sessions[place].lastSeenNs, figures.lastSeenNs)
    }
    return (sessions, live)
  }

  /// Whether nobody has ended it in the store.
  private var isOpen: Bool { ended == .running || ended == .killed }

  private init(_ columns: Row, json: JSONReading) throws(SQLiteFailure) {
    var row = columns
    let id = try row.rowNumber()
    let process = ProcessIdentity(
      pid: try row.number(), startTime: try row.number(), bootID: try row.text(), host: try row.text())
    var record = SessionRecord(
      process: process, command: try json.elements(ofArray: try row.text()), startedAt: try row.number(),
      startedNs: try row.number(), threshold: try row.number(), origin: try row.text(), platform: try row.text())
    let stored: SessionEnd = try row.word()
    let (exitStatus, lastSeenNs): (Int32?, Nanoseconds) = (try row.numberIfAny(), try row.number())
    record.labels = try SessionLabels(&row)
    record.programBuildID = try ImageRecord.buildID(&row)
    self.init(
      id: id, record: record, ended: stored == .running && !process.isAlive ? .killed : stored,
      exitStatus: exitStatus, lastSeenNs: lastSeenNs)
  }
}
