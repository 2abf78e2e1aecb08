import Histogram
import StallwatchCore

extension StoreReader {
  /// The timers of a session, in the order of their numbers; none in a store of a version below 4.
  public func timers(session: Int64) throws -> [StoredTimer] {
    guard hasTimers else { return [] }
    return try access.read { connection throws(SQLiteFailure) in
      var timers = try StoredTimer.all(session: session, in: connection)
      // A damaged store may give two rows one number.
      let places = Dictionary(timers.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
      try StoredTimer.addDrops(session: session, places, to: &timers, in: connection)
      try StoredTimer.addStalls(session: session, places, to: &timers, in: connection)
      return timers
    }
  }

  /// The timers of a session with their ledgers alone, without the modes and stalls that hurt them: of a store that grows,
  /// they can be asked for again and again.
  public func timerLedgers(session: Int64) throws -> [StoredTimer] {
    guard hasTimers else { return [] }
    return try access.read { connection throws(SQLiteFailure) in
      try StoredTimer.all(session: session, in: connection)
    }
  }

  /// The timers that the stall in that row hurt, worst lateness first.
  public func timers(stall: Int64) throws -> [StoredStallTimer] {
    guard hasTimers else { return [] }
    return try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare(
        """
        SELECT stall, timer, late, dropped, worst_lateness_ns FROM stall_timers WHERE stall = ?1
        ORDER BY worst_lateness_ns DESC, timer
        """)
      statement.bind(stall, at: 1)
      var hurt: [StoredStallTimer] = []
      while try statement.step() {
        var row = statement.row
        hurt.append(try StoredStallTimer(&row))
      }
      return hurt
    }
  }

  /// What the timer in that row is, without its loop; nil when there is none.
  public func timer(id: Int64) throws -> TimerRecord? {
    guard hasTimers else { return nil }
    return try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare("SELECT \(TimerRecord.columns) FROM timers WHERE id = ?1")
      statement.bind(id, at: 1)
      guard try statement.step() else { return nil }
      var row = statement.row
      return try TimerRecord(&row, in: connection)
    }
  }

  /// Calls `body` for every tick of the drift probe on the loop in that row, in the order of time.
  public func forEachDriftTick(loop: Int64, _ body: (DriftTick) throws -> Void) throws {
    guard hasTimers else { return }
    let statement = try access.read { connection throws(SQLiteFailure) in
      try connection.prepare(
        """
        SELECT number, due_ns, run_loop_lateness_ns, gcd_lateness_ns, in_other_modes_ns FROM drift_ticks
        WHERE loop = ?1 ORDER BY number
        """)
    }
    statement.bind(loop, at: 1)
    defer { statement.reset() }
    while let tick = try reportingFailures(
      of: access.path,
      { () throws(SQLiteFailure) -> DriftTick? in
        guard try statement.step() else { return nil }
        var row = statement.row
        return DriftTick(
          loop: LoopID(rawValue: 0), number: try row.number(), dueNs: try row.number(),
          runLoopLateness: try row.numberIfAny(), gcdLateness: try row.numberIfAny(),
          inOtherModes: try row.number())
      })
    {
      try body(tick)
    }
    try access.checkUndisturbed()
  }

  private var hasTimers: Bool { access.version >= 4 }
}

extension StoredStallTimer {
  fileprivate init(_ row: inout Row) throws(SQLiteFailure) {
    self.init(
      stall: try row.number(), timer: try row.number(), late: try row.number(), dropped: try row.number(),
      worstLateness: try row.number())
  }
}

extension TimerRecord {
  /// What ``init(_:in:)`` reads, in its order.
  fileprivate static let columns =
    "number, name, kind, origin_address, interval_ns, tolerance_ns, modes, made_ns"

  fileprivate init(_ row: inout Row, in connection: Connection) throws(SQLiteFailure) {
    let number = TimerID(rawValue: try row.number())
    let name = try row.textIfAny(longest: SampleLimits.longestText)
    let kind: Kind = try row.word()
    let origin = UInt64(bitPattern: try row.number(Int64.self))
    self.init(
      id: number, loop: nil, name: name, kind: kind, origin: origin, interval: try row.number(),
      tolerance: try row.number(), modes: try connection.elements(ofArray: try row.text()), madeNs: try row.number())
  }
}

extension StoredTimer {
  fileprivate static func all(session: Int64, in connection: Connection) throws(SQLiteFailure) -> [StoredTimer] {
    let statement = try connection.prepare(
      """
      SELECT id, loop, \(TimerRecord.columns), ended_ns, fired, dropped, dropped_outside, coalesced, rearmed,
        interval_changes, callout_total_ns, callout_max_ns, worst_at_ns, lateness_max_ns, 
        lateness_histogram IS NOT NULL AS has_lateness, lateness_count, lateness_total_ns, lateness_max_ns,
        lateness_histogram
      FROM timers WHERE session = ?1 ORDER BY number
      """)
    statement.bind(session, at: 1)
    var timers: [StoredTimer] = []
    while try statement.step() {
      var row = statement.row
      timers.append(try StoredTimer(&row, session: session, in: connection))
    }
    return timers
  }

  private init(_ row: inout Row, session: Int64, in connection: Connection) throws(SQLiteFailure) {
    id = try row.number()
    self.session = session
    loop = try row.integerIfAny()
    record = try TimerRecord(&row, in: connection)
    ledger = TimerDelta(timer: record.id, atNs: 0)
    ledger.endedNs = try row.numberIfAny()
    ledger.fired = try row.number()
    ledger.dropped = try row.number()
    ledger.droppedOutside = try row.number()
    ledger.coalesced = try row.number()
    ledger.rearmed = try row.number()
    ledger.intervalChanges = try row.number()
    ledger.calloutTotal = try row.number()
    ledger.calloutMaximum = try row.number()
    let worstAt: Nanoseconds? = try row.numberIfAny()
    let worst: Nanoseconds = try row.number()
    ledger.worst = worstAt.map { (worst, $0) }
    if try row.number(Int64.self) != 0 {
      var lateness = StoredMetric.empty
      try lateness.add(&row)
      self.lateness = lateness
    }
    drops = []
    stalls = []
  }

  fileprivate static func addDrops(
    session: Int64, _ places: [Int64: Int], to timers: inout [StoredTimer], in connection: Connection
  ) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      """
      SELECT timer, modes.name, count FROM timers JOIN timer_drops ON timer = timers.id
      JOIN modes ON modes.id = timer_drops.mode
      WHERE session = ?1 ORDER BY count DESC, modes.id
      """)
    statement.bind(session, at: 1)
    while try statement.step() {
      var row = statement.row
      guard let place = places[try row.number()] else { continue }
      timers[place].drops.append((try row.text(), try row.number()))
    }
  }

  fileprivate static func addStalls(
    session: Int64, _ places: [Int64: Int], to timers: inout [StoredTimer], in connection: Connection
  ) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      """
      SELECT stall, timer, late, stall_timers.dropped, stall_timers.worst_lateness_ns
      FROM timers JOIN stall_timers ON timer = timers.id
      WHERE session = ?1 ORDER BY stall_timers.worst_lateness_ns DESC, stall
      """)
    statement.bind(session, at: 1)
    while try statement.step() {
      var row = statement.row
      let hurt = try StoredStallTimer(&row)
      if let place = places[hurt.timer] { timers[place].stalls.add(hurt) }
    }
  }
}
