import StallwatchCore

/// What completes a stall's row.
struct StallCompletion {
  var row: Int64
  var state: StallState
  var duration: Nanoseconds
  /// Nil leaves the phase in which the stall was seen.
  var phase: Phase?
  var reason: String?

  /// Why a stall is cancelled that has begun in a session that ended in order, and has no end.
  static let endUnknown = "end-unknown"

  static let sql = """
    UPDATE stalls SET state = ?2, severity = ?3, duration_ns = ?4, phase = ifnull(?5, phase), reason = ?6 WHERE id = ?1
    """

  /// Writes it by a statement made of ``sql``.
  func write(by statement: Statement) throws(SQLiteFailure) {
    statement.bind(row, at: 1)
    statement.bind(state.rawValue, at: 2)
    statement.bind(Severity(duration: duration).name, at: 3)
    statement.bind(duration, at: 4)
    statement.bind(phase?.name, at: 5)
    statement.bind(reason, at: 6)
    try statement.run()
  }
}
