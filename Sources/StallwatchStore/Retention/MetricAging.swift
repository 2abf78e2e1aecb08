import StallwatchCore

/// Brings the histograms of sessions to a level of the ladder. Call it within a transaction.
struct MetricAging {
  private let findNext: Statement
  private let readWindows: Statement
  private let deleteWindow: Statement
  private let putWindow: Statement

  init(_ connection: Connection) throws(SQLiteFailure) {
    findNext = try connection.prepare(
      "SELECT started_ns FROM metric_windows WHERE session = ?1 AND started_ns >= ?2 ORDER BY started_ns LIMIT 1")
    readWindows = try connection.prepare(
      """
      SELECT mode, metric, number, started_ns, length_ns, count, total_ns, max_ns, histogram
      FROM metric_windows
      WHERE session = ?1 AND started_ns >= ?2 AND started_ns < ?3 AND mode > ?4 AND started_ns + length_ns <= ?3
      ORDER BY mode, metric, started_ns, number
      """)
    deleteWindow = try connection.prepare(
      """
      DELETE FROM metric_windows
      WHERE session = ?1 AND started_ns = ?2 AND mode = ?3 AND metric = ?4 AND number = ?5
      """)
    putWindow = try connection.prepare(
      """
      INSERT INTO metric_windows (session, started_ns, mode, metric, number, length_ns, count, total_ns, max_ns,
        histogram)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
  }

  /// Windows of one metric of a mode that become one.
  private struct Group {
    var mode: Int64
    var metric: String
    var keys: [(started: Nanoseconds, number: Int64)] = []
    var endNs: Nanoseconds = 0
    var sums = StoredMetric.empty
  }

  /// Moves `cursor` on until about `budget` rows were read, or nothing more is old enough.
  func age(
    _ session: TendedSession, to level: Ladder.Level, from cursor: inout AgingCursor, budget: Int
  ) throws(SQLiteFailure) -> AgingResult {
    var result = AgingResult()
    let bound = session.now.since(level.age)
    while !cursor.isDone, cursor.startedNs.saturatingAdd(level.windowLength) <= bound, result.read < budget {
      findNext.bind(session.row, at: 1)
      findNext.bind(cursor.startedNs, at: 2)
      guard let next = try findNext.firstInteger().map({ Nanoseconds(clamping: $0) }) else {
        cursor.isDone = session.isOver
        break
      }
      let start = AgingCursor.stretch(of: next, level, origin: session.origin)
      if start > cursor.startedNs { (cursor.startedNs, cursor.owner) = (start, 0) }
      let end = start.saturatingAdd(level.windowLength)
      guard end <= bound else { break }
      let (groups, read, rest) = try self.groups(
        session.row, from: start, to: end, after: cursor.owner, atMost: budget)
      for group in groups where group.keys.count > 1 {
        try replace(group, session: session.row)
        result.coarsened += Int64(group.keys.count)
        result.until = end
      }
      result.read += max(read, 1)
      if let rest { cursor.owner = rest } else { (cursor.startedNs, cursor.owner) = (end, 0) }
    }
    return result
  }

  private func groups(
    _ session: Int64, from start: Nanoseconds, to end: Nanoseconds, after mode: Int64, atMost limit: Int
  ) throws(SQLiteFailure) -> (groups: [Group], read: Int, rest: Int64?) {
    readWindows.bind(session, at: 1)
    readWindows.bind(start, at: 2)
    readWindows.bind(end, at: 3)
    readWindows.bind(mode, at: 4)
    defer { readWindows.reset() }
    var (groups, read) = ([Group](), 0)
    while try readWindows.step() {
      var row = readWindows.row
      let (mode, metric): (Int64, String) = (try row.number(), try row.text())
      if groups.last.map({ $0.mode != mode || $0.metric != metric }) ?? true {
        if read >= limit, let last = groups.last, last.mode != mode { return (groups, read, last.mode) }
        groups.append(Group(mode: mode, metric: metric))
      }
      let last = groups.count - 1
      let number: Int64 = try row.number()
      let started: Nanoseconds = try row.number()
      groups[last].keys.append((started, number))
      groups[last].endNs = max(groups[last].endNs, started.saturatingAdd(try row.number()))
      try groups[last].sums.add(&row)
      read += 1
    }
    return (groups, read, nil)
  }

  private func replace(_ group: Group, session: Int64) throws(SQLiteFailure) {
    for key in group.keys {
      deleteWindow.bind(session, at: 1)
      deleteWindow.bind(key.started, at: 2)
      deleteWindow.bind(group.mode, at: 3)
      deleteWindow.bind(group.metric, at: 4)
      deleteWindow.bind(key.number, at: 5)
      try deleteWindow.run()
    }
    putWindow.bind(session, at: 1)
    putWindow.bind(group.keys[0].started, at: 2)
    putWindow.bind(group.mode, at: 3)
    putWindow.bind(group.metric, at: 4)
    putWindow.bind(group.keys[0].number, at: 5)
    putWindow.bind(group.endNs - group.keys[0].started, at: 6)
    putWindow.bind(group.sums.count, at: 7)
    putWindow.bind(group.sums.total, at: 8)
    putWindow.bind(group.sums.maximum, at: 9)
    putWindow.bind(HistogramEncoding.encode(group.sums.histogram), at: 10)
    try putWindow.run()
  }
}
