import StallwatchCore

extension StoreReader {
  /// How many stalls of each kind, state and severity there are; does not read them one by one.
  package func stallTotals() throws -> [StallTotal] {
    try access.read { connection throws(SQLiteFailure) in
      var totals: [StallTotal.Sort: StallTotal] = [:]
      let over = try connection.prepare(queries.totals)
      while try over.step() {
        let total = try StallTotal(over.row)
        totals[total.sort] = total
      }
      let open = try connection.prepare(queries.open)
      while try open.step() {
        let stall = try StoredStall(open.row, endings: endings, json: access.json)
        guard admits(stall) else { continue }
        let one = StallTotal(
          loop: stall.loop, kind: stall.began.kind, state: stall.state, severity: stall.severity, count: 1,
          total: stall.duration)
        totals[one.sort, default: one.empty].add(one)
      }
      return totals.values.sorted { $0.sort < $1.sort }
    }
  }

  /// The longest stalls, at most `limit`, longest first; leaves cancelled ones out.
  package func worstStalls(limit: Int) throws -> [StoredStall] {
    try access.read { connection throws(SQLiteFailure) in
      var worst: [StoredStall] = []
      let longest = try connection.prepare(queries.longest)
      longest.bind(Int64(max(limit, 0)), at: 1)
      while try longest.step() {
        worst.append(try StoredStall(longest.row, endings: endings, json: access.json))
      }
      // A stall that is not over gets its duration from its session.
      let open = try connection.prepare(queries.open)
      while try open.step() {
        let stall = try StoredStall(open.row, endings: endings, json: access.json)
        if stall.state != .cancelled, admits(stall) { worst.append(stall) }
      }
      worst.sort { ($1.duration, $0.id) < ($0.duration, $1.id) }
      return Array(worst.prefix(max(limit, 0)))
    }
  }

  /// The stalls that are not over, and those in which the process died.
  package func openStalls() throws -> [StoredStall] { try stalls(queries.open) }

  /// The stalls that became known last, at most `limit`, the last first, including cancelled ones.
  package func lastStalls(limit: Int) throws -> [StoredStall] { try stalls(queries.last, limit: limit) }

  private func stalls(_ query: String, limit: Int? = nil) throws -> [StoredStall] {
    try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare(query)
      if let limit { statement.bind(Int64(max(limit, 0)), at: 1) }
      var found: [StoredStall] = []
      while try statement.step() {
        let stall = try StoredStall(statement.row, endings: endings, json: access.json)
        if admits(stall) { found.append(stall) }
      }
      return found
    }
  }

  /// Calls `body` for every stall, session by session, in order of their start; holds one at a time. Also throws what
  /// `body` throws.
  package func forEachStall(_ body: (StoredStall) throws -> Void) throws {
    let statement = try prepare(queries.byStart)
    defer { statement.reset() }
    while let stall = try next(statement) { try body(stall) }
    try access.checkUndisturbed()
  }

  /// Calls `body` for every stall of one session, in order of their start; holds one at a time.
  package func forEachStall(session: Int64, _ body: (StoredStall) throws -> Void) throws {
    let statement = try prepare(queries.ofSession)
    statement.bind(session, at: 1)
    defer { statement.reset() }
    while let stall = try next(statement) { try body(stall) }
    try access.checkUndisturbed()
  }

  /// Calls `body` for each stall of a session, without congestion and cancelled ones, in order of their start: its
  /// loop, when it began, and its length in nanoseconds. Also throws what `body` throws.
  package func forEachHold(
    session: Int64, _ body: (_ loop: Int64, _ startedNs: Nanoseconds, Nanoseconds) throws -> Void
  ) throws {
    guard let ending = endings[session] else { return }
    let statement = try prepare(StallQueries.holds)
    statement.bind(session, at: 1)
    defer { statement.reset() }
    while let hold = try nextHold(statement, ending) {
      if hold.state != .cancelled { try body(hold.loop, hold.startedNs, hold.duration) }
    }
    try access.checkUndisturbed()
  }

  private typealias Hold = (loop: Int64, state: StallState, startedNs: Nanoseconds, duration: Nanoseconds)

  private func nextHold(_ statement: Statement, _ ending: SessionEnding) throws(StoreError) -> Hold? {
    try reportingFailures(of: access.path) { () throws(SQLiteFailure) -> Hold? in
      guard try statement.step() else { return nil }
      var row = statement.row
      let loop = try row.rowNumber()
      let stored = try row.number(UInt8.self) != 0 ? StallState.began : .ended
      let startedNs: Nanoseconds = try row.number()
      let duration = ending.duration(try row.numberIfAny(), of: stored, from: startedNs)
      return (loop, ending.state(of: stored).state, startedNs, duration)
    }
  }

  /// The stall in row `id`; nil when there is none.
  package func stall(id: Int64) throws -> StoredStall? {
    try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare(queries.one)
      statement.bind(id, at: 1)
      guard try statement.step() else { return nil }
      let stall = try StoredStall(statement.row, endings: endings, json: access.json)
      return admits(stall) ? stall : nil
    }
  }

  /// The queries about stalls that fit this store's version and the filter.
  var queries: StallQueries { StallQueries(version: access.version, filter: filter) }

  /// Prepares a query about stalls, for ``next(_:)`` to read one by one.
  func prepare(_ query: String) throws(StoreError) -> Statement {
    try access.read { connection throws(SQLiteFailure) in try connection.prepare(query) }
  }

  /// The next stall of a query from ``prepare(_:)``; nil after the last.
  func next(_ statement: Statement) throws(StoreError) -> StoredStall? {
    try reportingFailures(of: access.path) { () throws(SQLiteFailure) in
      while try statement.step() {
        let stall = try StoredStall(statement.row, endings: endings, json: access.json)
        if admits(stall) { return stall }
      }
      return nil
    }
  }
}
