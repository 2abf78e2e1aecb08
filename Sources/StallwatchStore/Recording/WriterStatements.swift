import StallwatchCore

/// The writer's statements, compiled once. A parameter's number is its place in the list of columns.
struct WriterStatements {
  let touchSession: Statement
  let insertLoop: Statement
  let updateLoop: Statement
  let insertMode: Statement
  let insertStall: Statement
  let completeStall: Statement
  let insertInterval: Statement
  let putLoss: Statement
  let figures: FigureStatements
  let timers: TimerStatements
  let samples: SampleStatements

  init(_ connection: Connection) throws(SQLiteFailure) {
    // Also marks a process as alive that was taken for dead, because it looked so from another machine.
    touchSession = try connection.prepare(
      "UPDATE sessions SET last_seen_ns = ?2, trouble = ?3, closings = ?4, ended = 'running' WHERE id = ?1")
    insertLoop = try connection.prepare(
      """
      INSERT INTO loops (session, number, name, thread_id, is_main, started_ns, lane_kind)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    updateLoop = try connection.prepare(
      "UPDATE loops SET outside_ns = ?2, activities = ?3, ended_ns = ?4 WHERE id = ?1")
    insertMode = try connection.prepare(
      "INSERT INTO modes (loop, number, name, attached_ns) VALUES (?1, ?2, ?3, ?4)")
    insertStall = try connection.prepare(
      """
      INSERT INTO stalls (session, number, loop, mode, kind, phase, depth, started_ns, detected_ns, annotations, state,
        severity, duration_ns, reason, running_ns, blocked_ns, starved_ns, waiter)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
      """)
    completeStall = try connection.prepare(StallCompletion.sql)
    insertInterval = try connection.prepare(
      """
      INSERT INTO intervals (session, loop, kind, started_ns, ended_ns, duration_ns, reason)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    putLoss = try connection.prepare(
      """
      INSERT INTO losses (session, loop, what, count) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (session, what, ifnull(loop, 0)) DO UPDATE SET count = excluded.count
      """)
    figures = try FigureStatements(connection)
    samples = try SampleStatements(connection)
    timers = try TimerStatements(connection)
  }
}

extension Statement {
  /// Sets the parameter at `position` and the two after it to running, blocked and starved time.
  func bind(_ cause: StallCause?, at position: Int32) {
    bind((cause?.running).map { min($0, SampleLimits.longestTime) }, at: position)
    bind((cause?.blocked).map { min($0, SampleLimits.longestTime) }, at: position + 1)
    bind((cause?.starved).map { min($0, SampleLimits.longestTime) }, at: position + 2)
  }
}
