import StallwatchCore

/// The writer's statements, compiled once. A parameter's number is its place in the list of columns.
struct WriterStatements {
  let touchSession: Statement
  let insertLoop: Statement
  let updateLoop: Statement
  let insertMode: Statement
  let insertModeWindow: Statement
  let updateModeWindow: Statement
  let insertProfileWindow: Statement
  let updateProfileWindow: Statement
  let insertStall: Statement
  let completeStall: Statement
  let insertInterval: Statement
  let putLoss: Statement
  let putHealth: Statement
  let timers: TimerStatements
  let samples: SampleStatements

  init(_ connection: Connection) throws(SQLiteFailure) {
    // Also marks a process as alive that was taken for dead, because it looked so from another machine.
    touchSession = try connection.prepare(
      "UPDATE sessions SET last_seen_ns = ?2, trouble = ?3, ended = 'running' WHERE id = ?1")
    insertLoop = try connection.prepare(
      "INSERT INTO loops (session, number, name, thread_id, is_main, started_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    updateLoop = try connection.prepare(
      "UPDATE loops SET outside_ns = ?2, activities = ?3, ended_ns = ?4 WHERE id = ?1")
    insertMode = try connection.prepare(
      "INSERT INTO modes (loop, number, name, attached_ns) VALUES (?1, ?2, ?3, ?4)")
    insertModeWindow = try connection.prepare(
      "INSERT INTO mode_windows (mode, started_ns, entries, iterations, starved_ns) VALUES (?1, ?2, ?3, ?4, ?5)")
    updateModeWindow = try connection.prepare(
      "UPDATE mode_windows SET entries = ?2, iterations = ?3, starved_ns = ?4 WHERE id = ?1")
    insertProfileWindow = try connection.prepare(
      """
      INSERT INTO profile_windows (mode, metric, started_ns, count, total_ns, max_ns, histogram)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    updateProfileWindow = try connection.prepare(
      "UPDATE profile_windows SET count = ?2, total_ns = ?3, max_ns = ?4, histogram = ?5 WHERE id = ?1")
    insertStall = try connection.prepare(
      """
      INSERT INTO stalls (session, number, loop, mode, kind, phase, depth, started_ns, detected_ns, annotations, state,
        severity, duration_ns, reason, running_ns, blocked_ns, starved_ns)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
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
    putHealth = try connection.prepare(
      """
      INSERT INTO health (session, at_ns, observer_total_ns, monitor_cpu_ns, wakeups, lateness_count, lateness_total_ns,
        lateness_max_ns, lateness_histogram, signal_obstacle, drift_wakeups)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      ON CONFLICT (session) DO UPDATE SET at_ns = excluded.at_ns, observer_total_ns = excluded.observer_total_ns,
        monitor_cpu_ns = excluded.monitor_cpu_ns, wakeups = excluded.wakeups, lateness_count = excluded.lateness_count,
        lateness_total_ns = excluded.lateness_total_ns, lateness_max_ns = excluded.lateness_max_ns,
        lateness_histogram = excluded.lateness_histogram, signal_obstacle = excluded.signal_obstacle,
        drift_wakeups = excluded.drift_wakeups
      """)
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
