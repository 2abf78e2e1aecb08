import StallwatchCore

extension StoreReader {
  /// Calls `body` for every window of ticks of a session, with the row of the loop, in order of time; for none in a store
  /// of a version below 6. Holds one at a time. Also throws what `body` throws.
  package func forEachTickWindow(session: Int64, _ body: (_ loop: Int64, TickWindow) throws -> Void) throws {
    let (range, loops) = (range(of: session), try admittedLoops(session: session))
    func take(_ loop: Int64, _ window: TickWindow) throws {
      guard loops?.contains(loop) ?? true, range.map({ window.touches($0) }) ?? true else { return }
      try body(loop, window)
    }
    try forEach(TickWindow.self, session: session, take)
    for ticks in live[session]?.ticks ?? [] {
      for window in ticks.windows { try take(ticks.loop, window) }
    }
  }

  /// Calls `body` for every window of timers of a session, with the row of the timer, in the same way: windows in which a
  /// timer was later than allowed, or dropped due times. All else that is in its ledger came on time.
  package func forEachTimerWindow(session: Int64, _ body: (_ timer: Int64, TimerWindow) throws -> Void) throws {
    try forEach(TimerWindow.self, session: session, body)
    guard let live = live[session], !live.timers.isEmpty else { return }
    let (growth, time) = try access.read { connection throws(SQLiteFailure) in
      let length = try connection.firstInteger("SELECT window_ns FROM sessions WHERE id = \(session)") ?? 1
      return (
        try TimerGrowth(connection),
        TimerGrowth.Time(from: live.timersFromNs, until: live.lastSeenNs, windowLength: Nanoseconds(max(length, 1)))
      )
    }
    for timer in live.timers {
      let window = try access.read { _ throws(SQLiteFailure) in try growth.of(timer, in: time)?.window }
      if let window { try body(timer.row, window) }
    }
  }

  /// Calls `body` for every tick of the drift probe that has a row of its own: late ones that windows count too, and those
  /// of older versions. In order of time for each loop.
  package func forEachTick(session: Int64, _ body: (StoredTick) throws -> Void) throws {
    guard hasTimers else { return }
    let (range, loops) = (range(of: session), try admittedLoops(session: session))
    func take(_ stored: StoredTick) throws {
      guard loops?.contains(stored.loop) ?? true, range?.contains(stored.tick.dueNs) ?? true else { return }
      try body(stored)
    }
    let statement = try access.read { [access] connection throws(SQLiteFailure) in
      let columns = "number, loop, due_ns, run_loop_lateness_ns, gcd_lateness_ns, in_other_modes_ns"
      return try connection.prepare(
        access.version < 5
          ? "SELECT \(columns), NULL FROM (\(OlderWindows.ticks(ofSession: "?1"))) ORDER BY number"
          : "SELECT \(columns), \(access.version < 6 ? "NULL" : "machine_ns") FROM ticks WHERE session = ?1 "
            + "ORDER BY number")
    }
    statement.bind(session, at: 1)
    defer { statement.reset() }
    while let tick = try reportingFailures(
      of: access.path,
      { () throws(SQLiteFailure) -> StoredTick? in
        guard try statement.step() else { return nil }
        var row = statement.row
        return try StoredTick(&row)
      })
    {
      try take(tick)
    }
    try access.checkUndisturbed()
    for ticks in live[session]?.ticks ?? [] {
      for kept in ticks.windows.flatMap(\.kept) {
        try take(StoredTick(loop: ticks.loop, tick: kept.tick, machine: kept.machine))
      }
    }
  }

  private func forEach<Window: SummedWindow>(
    _ kind: Window.Type, session: Int64, _ body: (Int64, Window) throws -> Void
  ) throws {
    guard access.version >= 6 else { return }
    let statement = try access.read { connection throws(SQLiteFailure) in
      try connection.prepare(
        """
        SELECT \(Window.owner), started_ns, length_ns, \(Window.columns.joined(separator: ", "))
        FROM \(Window.table) WHERE session = ?1 ORDER BY started_ns
        """)
    }
    statement.bind(session, at: 1)
    defer { statement.reset() }
    while let (owner, window) = try reportingFailures(
      of: access.path,
      { () throws(SQLiteFailure) -> (Int64, Window)? in
        guard try statement.step() else { return nil }
        var row = statement.row
        let owner = try row.rowNumber()
        var window = Window(startedNs: try row.number(), length: try row.number())
        try window.read(&row)
        return (owner, window)
      })
    {
      try body(owner, window)
    }
    try access.checkUndisturbed()
  }
}

extension StoredTick {
  fileprivate init(_ row: inout Row) throws(SQLiteFailure) {
    let number: UInt64 = try row.number()
    loop = try row.rowNumber()
    tick = DriftTick(
      loop: LoopID(rawValue: 0), number: number, dueNs: try row.number(), runLoopLateness: try row.numberIfAny(),
      gcdLateness: try row.numberIfAny(), inOtherModes: try row.number())
    machine = try row.numberIfAny()
  }
}
