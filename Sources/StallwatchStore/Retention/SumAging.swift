import StallwatchCore

/// Brings windows that add up to a level of the ladder. Call it within a transaction.
struct SumAging<Window: SummedWindow> {
  private let findNext: Statement
  private let readWindows: Statement
  private let deleteWindow: Statement
  private let putWindow: PutWindow<Window>

  init(_ connection: Connection) throws(SQLiteFailure) {
    findNext = try connection.prepare(
      "SELECT started_ns FROM \(Window.table) WHERE session = ?1 AND started_ns >= ?2 ORDER BY started_ns LIMIT 1")
    readWindows = try connection.prepare(
      """
      SELECT \(Window.owner), number, started_ns, length_ns, \(Window.columns.joined(separator: ", "))
      FROM \(Window.table)
      WHERE session = ?1 AND started_ns >= ?2 AND started_ns < ?3 AND \(Window.owner) > ?4
        AND started_ns + length_ns <= ?3
      ORDER BY \(Window.owner), started_ns, number
      """)
    deleteWindow = try connection.prepare(
      "DELETE FROM \(Window.table) WHERE session = ?1 AND started_ns = ?2 AND \(Window.owner) = ?3 AND number = ?4")
    putWindow = try PutWindow(connection)
  }

  /// Windows of one loop or timer that become one.
  private struct Group {
    var owner: Int64
    var keys: [(started: Nanoseconds, number: Int64)]
    var sum: Window
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
      let (groups, read, rest) = try self.groups(session.row, level, from: start, to: end, after: cursor.owner, budget)
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

  /// Whole groups, until `limit` rows were read; `rest` is the last one's owner, when others are left.
  private func groups(
    _ session: Int64, _ level: Ladder.Level, from start: Nanoseconds, to end: Nanoseconds, after owner: Int64,
    _ limit: Int
  ) throws(SQLiteFailure) -> (groups: [Group], read: Int, rest: Int64?) {
    readWindows.bind(session, at: 1)
    readWindows.bind(start, at: 2)
    readWindows.bind(end, at: 3)
    readWindows.bind(owner, at: 4)
    defer { readWindows.reset() }
    var (groups, read) = ([Group](), 0)
    while try readWindows.step() {
      var row = readWindows.row
      let (owner, number): (Int64, Int64) = (try row.number(), try row.number())
      if read >= limit, let last = groups.last, last.owner != owner { return (groups, read, last.owner) }
      var window = Window(startedNs: try row.number(), length: try row.number())
      try window.read(&row)
      let key = (window.startedNs, number)
      if let last = groups.indices.last, groups[last].owner == owner {
        groups[last].keys.append(key)
        groups[last].sum.add(window, to: level)
      } else {
        groups.append(Group(owner: owner, keys: [key], sum: window))
      }
      read += 1
    }
    return (groups, read, nil)
  }

  private func replace(_ group: Group, session: Int64) throws(SQLiteFailure) {
    for key in group.keys {
      deleteWindow.bind(session, at: 1)
      deleteWindow.bind(key.started, at: 2)
      deleteWindow.bind(group.owner, at: 3)
      deleteWindow.bind(key.number, at: 4)
      try deleteWindow.run()
    }
    try putWindow.put(group.sum, of: group.owner, session: session, number: group.keys[0].number)
  }
}
