import StallwatchCore

extension StoredHealth {
  /// A session's health. Costs that the store lacks, because the process died before its first flush, are 0.
  static func read(session: Int64, in connection: Connection, version: Int) throws(SQLiteFailure) -> StoredHealth {
    var health = StoredHealth(
      observerTotal: 0, monitorCPU: 0, wakeups: 0, watchdogLateness: nil,
      losses: try losses(session: session, in: connection), intervals: try intervals(session: session, in: connection),
      trouble: try trouble(session: session, in: connection))
    let statement = try connection.prepare(
      """
      SELECT observer_total_ns, monitor_cpu_ns, wakeups, \(version < 3 ? "NULL AS signal_obstacle" : "signal_obstacle"),
        \(version < 4 ? "NULL AS drift_wakeups" : "drift_wakeups"),
        lateness_histogram IS NOT NULL AS has_lateness, lateness_count, lateness_total_ns, lateness_max_ns,
        lateness_histogram
      FROM health WHERE session = ?1
      """)
    statement.bind(session, at: 1)
    guard try statement.step() else { return health }
    var row = statement.row
    health.observerTotal = try row.number()
    health.monitorCPU = try row.number()
    health.wakeups = try row.number()
    health.signalObstacle = try row.textIfAny()
    health.driftWakeups = try row.numberIfAny()
    if try row.number(Int64.self) != 0 {
      var lateness = StoredMetric.empty
      try lateness.add(&row)
      health.watchdogLateness = lateness
    }
    return health
  }

  /// Takes over later figures, which the store does not have yet.
  mutating func update(_ later: LiveFigures.Health) {
    observerTotal = later.observerTotal
    monitorCPU = later.monitorCPU
    wakeups = later.wakeups
    driftWakeups = later.driftWakeups
    signalObstacle = later.signalObstacle
    guard later.lateness.count > 0 else { return }
    var lateness = StoredMetric.empty
    lateness.add(later.lateness)
    watchdogLateness = lateness
  }

  private static func losses(session: Int64, in connection: Connection) throws(SQLiteFailure) -> [String: UInt64] {
    let statement = try connection.prepare("SELECT what, count FROM losses WHERE session = ?1")
    statement.bind(session, at: 1)
    var losses: [String: UInt64] = [:]
    while try statement.step() {
      var row = statement.row
      let what = try row.text()
      losses[what] = (losses[what] ?? 0).saturatingAdd(try row.number())
    }
    return losses
  }

  private static func intervals(session: Int64, in connection: Connection) throws(SQLiteFailure) -> [IntervalRecord] {
    let statement = try connection.prepare(
      """
      SELECT intervals.id, intervals.kind, loops.number AS loop_number, intervals.started_ns, intervals.ended_ns, duration_ns,
        reason
      FROM intervals LEFT JOIN loops ON loops.id = intervals.loop
      WHERE intervals.session = ?1 ORDER BY intervals.started_ns, intervals.id
      """)
    statement.bind(session, at: 1)
    var intervals: [IntervalRecord] = []
    var last: (start: Nanoseconds, id: Int64)?
    while try statement.step() {
      var row = statement.row
      let id = try row.rowNumber()
      intervals.append(
        IntervalRecord(
          kind: try row.word(), loop: try row.numberIfAny(UInt32.self).map { LoopID(rawValue: $0) },
          startedNs: try row.number(), endedNs: try row.number(), duration: try row.number(), reason: try row.text()))
      let place = (start: intervals[intervals.count - 1].startedNs, id: id)
      if let last, place <= last { throw .badContents("an interval occurs twice, or is out of order") }
      last = place
    }
    return intervals
  }

  private static func trouble(session: Int64, in connection: Connection) throws(SQLiteFailure) -> String? {
    let statement = try connection.prepare("SELECT trouble FROM sessions WHERE id = ?1")
    statement.bind(session, at: 1)
    guard try statement.step() else { return nil }
    var row = statement.row
    return try row.textIfAny()
  }
}
