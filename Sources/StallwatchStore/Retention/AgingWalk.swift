import StallwatchCore

/// Walks through a session's windows in one table, from one stretch of a level to the next.
struct AgingWalk {
  /// What was done in a stretch.
  struct Step {
    /// How many windows are now part of a coarser one.
    var coarsened: Int64 = 0
    /// How many rows were read.
    var read = 0
    /// The last owner whose windows were done, when those of others are left.
    var rest: Int64?
  }

  private let findNext: Statement

  init(_ connection: Connection, table: String) throws(SQLiteFailure) {
    findNext = try connection.prepare(
      "SELECT started_ns FROM \(table) WHERE session = ?1 AND started_ns >= ?2 ORDER BY started_ns LIMIT 1")
  }

  /// Moves `cursor` on until about `budget` rows were read, or nothing more is old enough.
  ///
  /// - Parameter body: Ages the windows that begin in a stretch, of the owners whose rows come after the given one.
  func walk(
    _ session: TendedSession, to level: Ladder.Level, from cursor: inout AgingCursor, budget: Int,
    _ body: (_ stretch: Range<Nanoseconds>, _ after: Int64) throws(SQLiteFailure) -> Step
  ) throws(SQLiteFailure) -> AgingResult {
    var result = AgingResult()
    let bound = session.now.since(level.age)
    // Without a look into the store while the stretch is too young.
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
      let step = try body(start..<end, cursor.owner)
      if step.coarsened > 0 { (result.coarsened, result.until) = (result.coarsened + step.coarsened, end) }
      result.read += max(step.read, 1)
      if let rest = step.rest { cursor.owner = rest } else { (cursor.startedNs, cursor.owner) = (end, 0) }
    }
    return result
  }
}
