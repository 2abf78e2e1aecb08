import StallwatchCore

/// Reads the modes and stalls that hurt timers; compiles its statements once.
struct TimerHurt {
  private let drops: Statement
  private let stalls: Statement

  /// For a connection to a store of version 4 or later.
  init(_ connection: Connection) throws(SQLiteFailure) {
    drops = try connection.prepare(
      """
      SELECT modes.name, count FROM timer_drops JOIN modes ON modes.id = timer_drops.mode
      WHERE timer = ?1 ORDER BY count DESC, modes.id
      """)
    stalls = try connection.prepare(
      """
      SELECT stall, timer, late, dropped, worst_lateness_ns FROM stall_timers WHERE timer = ?1
      ORDER BY worst_lateness_ns DESC, stall
      """)
  }

  /// `timer` with the modes and stalls that hurt it.
  func completed(_ timer: StoredTimer) throws(SQLiteFailure) -> StoredTimer {
    var timer = timer
    drops.bind(timer.id, at: 1)
    defer { drops.reset() }
    while try drops.step() {
      var row = drops.row
      timer.drops.append((try row.text(), try row.number()))
    }
    stalls.bind(timer.id, at: 1)
    defer { stalls.reset() }
    while try stalls.step() {
      var row = stalls.row
      timer.stalls.add(try StoredStallTimer(&row))
    }
    return timer
  }
}

extension StoredStallTimer {
  /// Reads stall, timer, late callouts, dropped due times and the worst lateness.
  init(_ row: inout Row) throws(SQLiteFailure) {
    self.init(
      stall: try row.number(), timer: try row.number(), late: try row.number(), dropped: try row.number(),
      worstLateness: try row.number())
  }
}
