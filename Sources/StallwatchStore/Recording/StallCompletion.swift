import StallwatchCore

/// The values that complete a stall's row.
struct StallCompletion {
  var row: Int64
  var state: StallState
  var duration: Nanoseconds
  /// Nil keeps the phase in which the stall was seen.
  var phase: Phase?
  var reason: String?
  /// Nil keeps the cause in the row.
  var cause: StallCause?

  /// Why a stall without an end is cancelled when its session ended in order.
  static let endUnknown = "end-unknown"

  static let sql = """
    UPDATE stalls SET state = ?2, severity = ?3, duration_ns = ?4, phase = ifnull(?5, phase), reason = ?6,
      running_ns = ifnull(?7, running_ns), blocked_ns = ifnull(?8, blocked_ns), starved_ns = ifnull(?9, starved_ns)
    WHERE id = ?1
    """

  /// Writes the values by a statement prepared from ``sql``.
  func write(by statement: Statement) throws(SQLiteFailure) {
    statement.bind(row, at: 1)
    statement.bind(state.rawValue, at: 2)
    statement.bind(Severity(duration: duration).name, at: 3)
    statement.bind(duration, at: 4)
    statement.bind(phase?.name, at: 5)
    statement.bind(reason, at: 6)
    statement.bind(cause, at: 7)
    try statement.run()
  }
}
