import StallwatchCore

extension StoredLoop {
  /// The loops of the session in row `session`, in order of their numbers.
  static func all(session: Int64, in connection: Connection, version: Int) throws(SQLiteFailure) -> [StoredLoop] {
    let statement = try connection.prepare(
      """
      SELECT id, number, name, thread_id, is_main,
        \(kindColumn(version: version)), started_ns, ended_ns, outside_ns, activities
      FROM loops WHERE session = ?1 ORDER BY number
      """)
    statement.bind(session, at: 1)
    var loops: [StoredLoop] = []
    var order = RowOrder<UInt32>("loops")
    while try statement.step() {
      let loop = try StoredLoop(statement.row, session: session)
      try order.take(loop.record.id.rawValue)
      loops.append(loop)
    }
    return loops
  }

  private init(_ columns: Row, session: Int64) throws(SQLiteFailure) {
    var row = columns
    let id = try row.rowNumber()
    let record = LoopRecord(
      id: LoopID(rawValue: try row.number()), name: try row.text(), threadID: try row.number(),
      isMain: try row.number(Int64.self) != 0, kind: try Self.kind(&row), startedNs: try row.number())
    self.init(
      id: id, session: session, record: record, endedNs: try row.numberIfAny(), outside: try row.number(),
      activities: try row.number())
  }

  /// The column of a loop's kind; in a store before version 7, every lane is a run loop.
  static func kindColumn(version: Int) -> String { version < 7 ? "'run loop' AS lane_kind" : "lane_kind" }

  static func kind(_ row: inout Row) throws(SQLiteFailure) -> LaneKind {
    guard let kind = LaneKind(rawValue: try row.text()) else { throw .badContents("the kind of a loop is unknown") }
    return kind
  }
}
