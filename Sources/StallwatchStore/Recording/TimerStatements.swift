/// The writer's statements about timers. For the writer's thread.
struct TimerStatements {
  let insertTimer: Statement
  let describeTimer: Statement
  let addStallTimer: Statement

  init(_ connection: Connection) throws(SQLiteFailure) {
    insertTimer = try connection.prepare(
      """
      INSERT INTO timers (session, number, loop, name, kind, origin_address, interval_ns, tolerance_ns, modes, made_ns)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    describeTimer = try connection.prepare(
      """
      UPDATE timers SET loop = ?2, name = ?3, interval_ns = ?4, tolerance_ns = ?5, modes = ?6, ended_ns = NULL
      WHERE id = ?1
      """)
    // SQLite turns a sum beyond 2^63 - 1 into a floating-point number, which the table would refuse.
    addStallTimer = try connection.prepare(
      """
      INSERT INTO stall_timers (stall, timer, late, dropped, worst_lateness_ns) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (stall, timer) DO UPDATE SET late = min(late + excluded.late, 9223372036854775807),
        dropped = min(dropped + excluded.dropped, 9223372036854775807),
        worst_lateness_ns = max(worst_lateness_ns, excluded.worst_lateness_ns)
      """)
  }
}
