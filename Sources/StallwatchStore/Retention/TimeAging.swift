import StallwatchCore

/// Brings the windows of time of sessions to a level of the ladder. Call it within a transaction.
struct TimeAging {
  private let walk: AgingWalk
  private let readWindows: Statement
  private let deleteWindow: Statement
  private let figures: FigureStatements
  private let neighbourhoods: StallNeighbourhoods

  init(_ connection: Connection, neighbourhood: Nanoseconds) throws(SQLiteFailure) {
    walk = try AgingWalk(connection, table: "time_windows")
    readWindows = try connection.prepare(
      """
      SELECT mode, number, started_ns, length_ns, entries, iterations, starved_ns, busy_ns, waiting_ns, outside_ns,
        longest_ns, cell_ns, cells
      FROM time_windows WHERE session = ?1 AND started_ns >= ?2 AND started_ns < ?3 AND mode > ?4
      ORDER BY mode, started_ns, number
      """)
    deleteWindow = try connection.prepare(
      "DELETE FROM time_windows WHERE session = ?1 AND started_ns = ?2 AND mode = ?3 AND number = ?4")
    figures = try FigureStatements(connection)
    neighbourhoods = try StallNeighbourhoods(connection, reach: neighbourhood)
  }

  /// Moves `cursor` on until about `budget` rows were read, or nothing more is old enough.
  ///
  /// - Parameter sparesStalls: Whether cells around stalls keep their grain.
  func age(
    _ session: TendedSession, to level: Ladder.Level, from cursor: inout AgingCursor, sparesStalls: Bool, budget: Int
  ) throws(SQLiteFailure) -> AgingResult {
    let merge = WindowMerge(level: level, origin: session.origin)
    return try walk.walk(session, to: level, from: &cursor, budget: budget) { stretch, after throws(SQLiteFailure) in
      let found = try windows(session.row, in: stretch, after: after, atMost: budget)
      let spared = !sparesStalls ? [] : try neighbourhoods.stretches(session: session.row, in: stretch)
      var step = AgingWalk.Step(read: found.count, rest: found.restAfter)
      for (mode, windows) in found.modes {
        let old = windows.filter { $0.window.isOver(before: stretch.upperBound) && !$0.window.touches(spared) }
        for group in merge.groups(of: old) {
          for stored in group { try delete(stored, mode: mode, session: session.row) }
          try figures.put(merge.merged(group), mode: mode, session: session.row, number: group[0].number)
          step.coarsened += Int64(group.count)
        }
      }
      return step
    }
  }

  private func delete(_ stored: WindowMerge.Stored, mode: Int64, session: Int64) throws(SQLiteFailure) {
    deleteWindow.bind(session, at: 1)
    deleteWindow.bind(stored.window.startedNs, at: 2)
    deleteWindow.bind(mode, at: 3)
    deleteWindow.bind(stored.number, at: 4)
    try deleteWindow.run()
  }

  private struct Found {
    var modes: [(mode: Int64, windows: [WindowMerge.Stored])] = []
    var count = 0
    /// The last mode read whole, when others are left.
    var restAfter: Int64?
  }

  /// Windows by modes, whole modes only.
  private func windows(
    _ session: Int64, in stretch: Range<Nanoseconds>, after mode: Int64, atMost limit: Int
  ) throws(SQLiteFailure) -> Found {
    readWindows.bind(session, at: 1)
    readWindows.bind(stretch.lowerBound, at: 2)
    readWindows.bind(stretch.upperBound, at: 3)
    readWindows.bind(mode, at: 4)
    defer { readWindows.reset() }
    var found = Found()
    while try readWindows.step() {
      var row = readWindows.row
      let mode: Int64 = try row.number()
      if found.modes.last?.mode != mode {
        if found.count >= limit {
          found.restAfter = found.modes.last?.mode
          break
        }
        found.modes.append((mode, []))
      }
      found.modes[found.modes.count - 1].windows.append(try WindowMerge.Stored(&row))
      found.count += 1
    }
    return found
  }
}

extension WindowMerge.Stored {
  fileprivate init(_ row: inout Row) throws(SQLiteFailure) {
    number = try row.number()
    window = TimeWindow(startedNs: try row.number(), cellLength: 0)
    let length: Nanoseconds = try row.number()
    window.entries = try row.number()
    window.iterations = try row.number()
    window.starved = try row.number()
    window.busy = try row.number()
    window.waiting = try row.number()
    window.outside = try row.number()
    window.longest = try row.number()
    let cellLength = try row.numberIfAny(Nanoseconds.self)
    let cells = try row.bytesIfAny { bytes throws(SQLiteFailure) -> [WindowCell] in
      guard let cellLength, cellLength > 0, length.isMultiple(of: cellLength),
        let cells = CellEncoding.decode(bytes, count: Int(clamping: length / cellLength))
      else { throw .badContents("the cells of a window do not fit its length") }
      return cells
    }
    if let cells { (window.cells, window.cellLength) = (cells, cellLength ?? 0) } else { window.evenLength = length }
  }
}

extension TimeWindow {
  fileprivate func touches(_ stretches: [ClosedRange<Nanoseconds>]) -> Bool {
    !cells.isEmpty && stretches.contains { touches($0) }
  }
}
