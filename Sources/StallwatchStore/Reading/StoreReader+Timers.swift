import StallwatchCore

extension StoreReader {
  /// Calls `body` for every timer of a session, in order of their numbers; for none in a store of a version below 4.
  /// Holds one at a time. Also throws what `body` throws.
  package func forEachTimer(session: Int64, _ body: (StoredTimer) throws -> Void) throws {
    guard hasTimers else { return }
    let hurt = try access.read { connection throws(SQLiteFailure) in try TimerHurt(connection) }
    try forEachTimerLedger(session: session) { ledger in
      try body(try access.read { _ throws(SQLiteFailure) in try hurt.completed(ledger) })
    }
  }

  /// As ``forEachTimer(session:_:)``, but with the ledgers alone, without the modes and stalls that hurt the timers:
  /// cheap enough to repeat for a store that grows.
  package func forEachTimerLedger(session: Int64, _ body: (StoredTimer) throws -> Void) throws {
    guard hasTimers else { return }
    let statement = try prepare(StoredTimer.selection)
    statement.bind(session, at: 1)
    defer { statement.reset() }
    let later = Dictionary(
      (live[session]?.timers ?? []).map { ($0.row, $0.figures) }, uniquingKeysWith: { first, _ in first })
    let loops = try admittedLoops(session: session)
    var order = RowOrder<TimerID.RawValue>("timers")
    while let timer = try reportingFailures(
      of: access.path,
      { () throws(SQLiteFailure) -> StoredTimer? in
        guard try statement.step() else { return nil }
        var row = statement.row
        var timer = try StoredTimer(&row, session: session, json: access.json)
        if let figures = later[timer.id] { timer.update(figures) }
        try order.take(timer.record.id.rawValue)
        return timer
      })
    {
      if let loops, timer.loop.map(loops.contains) != true { continue }
      try body(timer)
    }
    try access.checkUndisturbed()
  }

  /// All timers of a session at once, as ``forEachTimer(session:_:)`` reads them; for sessions known to have few.
  package func timers(session: Int64) throws -> [StoredTimer] {
    var timers: [StoredTimer] = []
    try forEachTimer(session: session) { timers.append($0) }
    return timers
  }

  /// The timers that the stall in row `stall` hurt, worst lateness first.
  package func timers(stall: Int64) throws -> [StoredStallTimer] {
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

  /// The properties of the timer in row `id`, without its loop; nil when there is none.
  package func timer(id: Int64) throws -> TimerRecord? {
    guard hasTimers else { return nil }
    return try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare("SELECT \(TimerRecord.columns) FROM timers WHERE id = ?1")
      statement.bind(id, at: 1)
      guard try statement.step() else { return nil }
      var row = statement.row
      return try TimerRecord(&row, json: access.json)
    }
  }

  var hasTimers: Bool { access.version >= 4 }
}

extension TimerRecord {
  /// The columns that ``init(_:lists:)`` reads, in its order.
  fileprivate static let columns =
    "number, name, kind, origin_address, interval_ns, tolerance_ns, modes, made_ns"

  fileprivate init(_ row: inout Row, json: JSONReading) throws(SQLiteFailure) {
    let number = TimerID(rawValue: try row.number())
    let name = try row.textIfAny(longest: SampleLimits.longestText)
    let kind: Kind = try row.word()
    let origin = UInt64(bitPattern: try row.number(Int64.self))
    self.init(
      id: number, loop: nil, name: name, kind: kind, origin: origin, interval: try row.number(),
      tolerance: try row.number(), modes: try json.elements(ofArray: try row.text()), madeNs: try row.number())
  }
}

extension StoredTimer {
  /// Takes over later sums, which the store does not have yet.
  fileprivate mutating func update(_ later: TimerFigures) {
    ledger.fired = max(ledger.fired, later.fired)
    ledger.dropped = max(ledger.dropped, later.dropped)
    ledger.droppedOutside = max(ledger.droppedOutside, later.droppedOutside)
    ledger.coalesced = max(ledger.coalesced, later.coalesced)
    ledger.rearmed = max(ledger.rearmed, later.rearmed)
    ledger.intervalChanges = max(ledger.intervalChanges, later.intervalChanges)
    ledger.calloutTotal = max(ledger.calloutTotal, later.calloutTotal)
    ledger.calloutMaximum = max(ledger.calloutMaximum, later.calloutMaximum)
    ledger.endedNs = later.endedNs ?? ledger.endedNs
    if let worstAtNs = later.worstAtNs { ledger.worst = (later.worstLateness, worstAtNs) }
    guard later.addsFires(to: self.lateness?.count ?? 0) else { return }
    var lateness = self.lateness ?? .empty
    lateness.add(later.lateness)
    lateness.maximum = max(lateness.maximum, later.worstLateness)
    self.lateness = lateness
  }

  fileprivate static let selection = """
    SELECT id, loop, \(TimerRecord.columns), ended_ns, fired, dropped, dropped_outside, coalesced, rearmed,
      interval_changes, callout_total_ns, callout_max_ns, worst_at_ns, lateness_max_ns,
      lateness_histogram IS NOT NULL AS has_lateness, lateness_count, lateness_total_ns, lateness_max_ns,
      lateness_histogram
    FROM timers WHERE session = ?1 ORDER BY number
    """

  fileprivate init(_ row: inout Row, session: Int64, json: JSONReading) throws(SQLiteFailure) {
    id = try row.rowNumber()
    self.session = session
    loop = try row.integerIfAny()
    record = try TimerRecord(&row, json: json)
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
}
