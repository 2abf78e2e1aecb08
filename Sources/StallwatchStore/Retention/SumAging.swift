import StallwatchCore

/// Brings windows that add up to a level of the ladder. Call it within a transaction.
struct SumAging<Window: SummedWindow> {
  private let walk: AgingWalk
  private let readWindows: Statement
  private let deleteWindow: Statement
  private let putWindow: PutWindow<Window>

  init(_ connection: Connection) throws(SQLiteFailure) {
    walk = try AgingWalk(connection, table: Window.table)
    readWindows = try connection.prepare(
      """
      SELECT \(Window.owner), number, started_ns, length_ns, \(Window.columns.joined(separator: ", "))
      FROM \(Window.table)
      WHERE session = ?1 AND started_ns >= ?2 AND started_ns < ?3 AND \(Window.owner) > ?4
        AND started_ns + length_ns <= ?3
      ORDER BY \(Window.owner), \(Window.kind.map { "\($0), " } ?? "")started_ns, number
      """)
    deleteWindow = try connection.prepare(
      "DELETE FROM \(Window.table) WHERE session = ?1 AND started_ns = ?2 AND \(Window.owner) = ?3 AND number = ?4"
        + (Window.kind.map { " AND \($0) = ?5" } ?? ""))
    putWindow = try PutWindow(connection)
  }

  /// Windows of one owner that become one.
  private struct Group {
    var owner: Int64
    var keys: [(started: Nanoseconds, number: Int64)]
    var sum: Window
  }

  /// Moves `cursor` on until about `budget` rows were read, or nothing more is old enough.
  func age(
    _ session: TendedSession, to level: Ladder.Level, from cursor: inout AgingCursor, budget: Int
  ) throws(SQLiteFailure) -> AgingResult {
    try walk.walk(session, to: level, from: &cursor, budget: budget) { stretch, after throws(SQLiteFailure) in
      let (groups, read, rest) = try groups(session.row, level, in: stretch, after: after, budget)
      var step = AgingWalk.Step(read: read, rest: rest)
      for group in groups where group.keys.count > 1 {
        try replace(group, session: session.row)
        step.coarsened += Int64(group.keys.count)
      }
      return step
    }
  }

  /// Whole groups, until `limit` rows were read; `rest` is the last one's owner, when others are left.
  private func groups(
    _ session: Int64, _ level: Ladder.Level, in stretch: Range<Nanoseconds>, after owner: Int64, _ limit: Int
  ) throws(SQLiteFailure) -> (groups: [Group], read: Int, rest: Int64?) {
    readWindows.bind(session, at: 1)
    readWindows.bind(stretch.lowerBound, at: 2)
    readWindows.bind(stretch.upperBound, at: 3)
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
      if let last = groups.indices.last, groups[last].owner == owner, groups[last].sum.kindName == window.kindName {
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
      if let kind = group.sum.kindName { deleteWindow.bind(kind, at: 5) }
      try deleteWindow.run()
    }
    try putWindow.put(group.sum, of: group.owner, session: session, number: group.keys[0].number)
  }
}
