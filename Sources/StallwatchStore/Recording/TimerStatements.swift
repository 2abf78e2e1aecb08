/// The writer's statements about timers and drift. For the writer's thread.
struct TimerStatements {
  let insertTimer: Statement
  let describeTimer: Statement
  let growTimer: Statement
  let addDrops: Statement
  let addStallTimer: Statement
  let insertTick: Statement

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
    growTimer = try connection.prepare(
      """
      UPDATE timers SET fired = min(fired + ?2, 9223372036854775807), dropped = min(dropped + ?3, 9223372036854775807),
        dropped_outside = min(dropped_outside + ?4, 9223372036854775807),
        coalesced = min(coalesced + ?5, 9223372036854775807), rearmed = min(rearmed + ?6, 9223372036854775807),
        interval_changes = min(interval_changes + ?7, 9223372036854775807),
        callout_total_ns = min(callout_total_ns + ?8, 9223372036854775807), callout_max_ns = max(callout_max_ns, ?9),
        lateness_count = coalesce(?10, lateness_count), lateness_total_ns = coalesce(?11, lateness_total_ns),
        lateness_max_ns = coalesce(?12, lateness_max_ns),
        lateness_histogram = coalesce(?13, lateness_histogram), worst_at_ns = coalesce(?14, worst_at_ns),
        ended_ns = coalesce(?15, ended_ns)
      WHERE id = ?1
      """)
    addDrops = try connection.prepare(
      """
      INSERT INTO timer_drops (timer, mode, count) VALUES (?1, ?2, ?3)
      ON CONFLICT (timer, mode) DO UPDATE SET count = min(count + excluded.count, 9223372036854775807)
      """)
    addStallTimer = try connection.prepare(
      """
      INSERT INTO stall_timers (stall, timer, late, dropped, worst_lateness_ns) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (stall, timer) DO UPDATE SET late = min(late + excluded.late, 9223372036854775807),
        dropped = min(dropped + excluded.dropped, 9223372036854775807),
        worst_lateness_ns = max(worst_lateness_ns, excluded.worst_lateness_ns)
      """)
    insertTick = try connection.prepare(
      """
      INSERT OR REPLACE INTO drift_ticks (loop, number, due_ns, run_loop_lateness_ns, gcd_lateness_ns,
        in_other_modes_ns)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
  }
}
