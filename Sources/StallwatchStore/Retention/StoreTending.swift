import StallwatchCore

/// Keeps a store within its limits of age and size, and brings its windows down the ladder, in small transactions. For
/// the thread of its connection.
///
/// It tends the session being written here, if any, and all that are over; sessions that other processes write are left
/// to them. The order, when the store is too large, each the oldest first: cells older than an hour become whole
/// windows, away from stalls; ticks go; cells around stalls become whole windows; samples of stalls go with their
/// stacks; then whole sessions that are over; then, of the session being written, profiles, stalls and windows. Of its
/// last hour the grain goes first: cells away from stalls, histograms of less than ten minutes, ticks, cells around
/// stalls, samples; then windows, and stalls only if nothing else is left. So what takes most room and explains least
/// goes first: the stacks of a week's 10,000 stalls take a tenth of the cells around them.
final class StoreTending {
  let limits: RetentionLimits
  private let ladder: Ladder
  private let connection: Connection
  private let size: StoreSize
  private let timeAging: TimeAging
  private let metricAging: SumAging<MetricWindow>
  private let tickAging: SumAging<TickWindow>
  private let timerAging: SumAging<TimerWindow>
  private let details: DetailRemoval
  private let sessionRemoval: SessionRemoval
  private let removals: RemovalStatements
  private let own: (row: Int64, origin: Nanoseconds)?
  private var sessions: [TendedSession] = []
  private var expired: [Int64] = []
  private var cursors: [CursorKey: AgingCursor] = [:]
  private var sampleCursors: [Int64: Nanoseconds] = [:]
  private var wallNow: Nanoseconds = 0
  /// Whether the store was too large and is not yet well below its limit.
  private var isPressed = false
  /// What was removed so far: of sessions that are still there, and by session of those that may go as a whole.
  private var detailsRemoved: [Removed] = []
  private var partsOfSessions: [Int64: [Removed]] = [:]

  /// The rows that a transaction reads or removes, about: some milliseconds of work.
  static let rowsAtATime = 256
  /// The pause between two transactions where others write: they try for the lock every 5 ms, and would never meet it
  /// free.
  static let pauseMilliseconds: Int32 = 6
  /// How far below its limit a store comes once it was above, so that it is not at its limit again a minute later.
  private static let relief: Int64 = 16

  private struct CursorKey: Hashable {
    enum Kind {
      case time, pressed, pressedAroundStalls, pressedLately, pressedLatelyAroundStalls
      case metrics, ticks, timers, pressedMetrics

      /// Those that age by the ladder, and whose windows have histograms.
      static let histograms: [Kind] = [.metrics, .ticks, .timers]

      /// Whether its windows have histograms, and no cells that a stall could keep.
      var hasHistograms: Bool { self == .pressedMetrics || Self.histograms.contains(self) }
      var sparesStalls: Bool { self != .pressedAroundStalls && self != .pressedLatelyAroundStalls }
    }
    var session: Int64
    var kind: Kind
    var level: Int
  }

  /// - Parameter own: The session that the connection's owner writes: its row and its start.
  init(
    _ connection: Connection, limits: RetentionLimits, ladder: Ladder = Ladder(),
    own: (row: Int64, origin: Nanoseconds)? = nil, stacksRemoved: @escaping () -> Void = {}
  ) throws(SQLiteFailure) {
    (self.connection, self.limits, self.ladder, self.own) = (connection, limits, ladder, own)
    size = try StoreSize(connection)
    timeAging = try TimeAging(connection, neighbourhood: ladder.neighbourhood)
    metricAging = try SumAging(connection)
    tickAging = try SumAging(connection)
    timerAging = try SumAging(connection)
    details = try DetailRemoval(connection)
    details.stacksRemoved = stacksRemoved
    removals = try RemovalStatements(connection)
    sessionRemoval = try SessionRemoval(connection, details, removals)
  }

  /// Finds out what is to be done at this moment.
  ///
  /// - Parameters:
  ///   - ownNow: The present on the clock of the session being written: its last sign of life.
  ///   - wallNow: Nanoseconds since 1970, for all other sessions.
  func begin(ownNow: Nanoseconds, wallNow: Nanoseconds) throws(SQLiteFailure) {
    self.wallNow = wallNow
    // Within a program memory stays bounded: the youngest sessions have fine grain to lose, the oldest go next.
    let limit = own == nil ? Int.max : Self.mostSessions
    sessions = try TendedSession.over(in: connection, except: own?.row, wallNow: wallNow, limit: limit)
    if let own {
      sessions.append(TendedSession(row: own.row, origin: own.origin, now: ownNow, isOver: false))
    }
    let known = Set(sessions.map(\.row))
    cursors = cursors.filter { known.contains($0.key.session) }
    sampleCursors = sampleCursors.filter { known.contains($0.key) }
    expired = try expiredSessions()
  }

  private static let mostSessions = 64

  /// Does a part of it in one transaction. Returns false, and changes nothing, when nothing is left to do.
  func step() throws(SQLiteFailure) -> Bool {
    if let session = expired.first {
      try remove(session, .age)
      return true
    }
    if try age() { return true }
    guard let limit = limits.maximumSize else { return false }
    let used = try size.used()
    isPressed = isPressed ? used > limit - limit / Self.relief : used > limit
    return isPressed ? try relieve() : false
  }

  // MARK: Age

  private func expiredSessions() throws(SQLiteFailure) -> [Int64] {
    guard let age = limits.maximumAge else { return [] }
    let statement = try connection.prepare(
      """
      SELECT id FROM sessions
      WHERE ended <> 'running' AND id <> ?1 AND started_at + (last_seen_ns - started_ns) < ?2 ORDER BY started_at, id
      LIMIT \(Self.mostSessions)
      """)
    statement.bind(own?.row ?? 0, at: 1)
    statement.bind(wallNow.since(age), at: 2)
    var found: [Int64] = []
    while try statement.step() {
      var row = statement.row
      found.append(try row.number())
    }
    return found
  }

  private func age() throws(SQLiteFailure) -> Bool {
    for session in sessions {
      for (place, level) in ladder.time.enumerated() {
        let key = CursorKey(session: session.row, kind: .time, level: place)
        if try age(session, level, key, .age) { return true }
      }
      for kind in CursorKey.Kind.histograms {
        for (place, level) in ladder.metrics.enumerated() {
          if try age(session, level, CursorKey(session: session.row, kind: kind, level: place), .age) { return true }
        }
      }
    }
    return false
  }

  /// Brings windows of a session to a level. Returns whether it read any.
  private func age(
    _ session: TendedSession, _ level: Ladder.Level, _ key: CursorKey, _ reason: Removed.Reason
  ) throws(SQLiteFailure) -> Bool {
    var cursor = cursors[key] ?? AgingCursor(startedNs: session.origin)
    let hasWork = !cursor.isDone && cursor.startedNs.saturatingAdd(level.windowLength) <= session.now.since(level.age)
    guard hasWork else { return false }
    let result = try connection.write { () throws(SQLiteFailure) in
      let budget = Self.rowsAtATime
      let result =
        switch key.kind {
        case .metrics, .pressedMetrics: try metricAging.age(session, to: level, from: &cursor, budget: budget)
        case .ticks: try tickAging.age(session, to: level, from: &cursor, budget: budget)
        case .timers: try timerAging.age(session, to: level, from: &cursor, budget: budget)
        case .time, .pressed, .pressedAroundStalls, .pressedLately, .pressedLatelyAroundStalls:
          try timeAging.age(
            session, to: level, from: &cursor, sparesStalls: key.kind.sparesStalls, budget: budget)
        }
      if result.coarsened > 0 {
        let what: Removed.What = key.kind.hasHistograms ? .histograms : .cells
        try note(
          Removed(session: session.row, what: what, reason: reason, count: result.coarsened, until: result.until))
      }
      return result
    }
    cursors[key] = cursor
    return result.read > 0
  }

  // MARK: Size

  private func relieve() throws(SQLiteFailure) -> Bool {
    if try press(.pressed, ladder.pressed) { return true }
    for session in sessions {
      if try remove(.ticks, of: session, before: bound(session)) { return true }
    }
    if try press(.pressedAroundStalls, ladder.pressed) { return true }
    for session in sessions {
      if try remove(.samples, of: session, before: bound(session)) { return true }
    }
    if let oldest = sessions.first(where: \.isOver)?.row {
      try remove(oldest, .size)
      return true
    }
    for session in sessions {
      for what in [Removed.What.profiles, .stalls, .windows] {
        if try remove(what, of: session, before: bound(session)) { return true }
      }
    }
    return try relieveLastHour()
  }

  private func relieveLastHour() throws(SQLiteFailure) -> Bool {
    if try press(.pressedLately, ladder.pressedLately) { return true }
    if try press(.pressedMetrics, ladder.pressedMetrics) { return true }
    for session in sessions {
      if try remove(.ticks, of: session, before: session.now) { return true }
    }
    if try press(.pressedLatelyAroundStalls, ladder.pressedLately) { return true }
    for session in sessions {
      for what in [Removed.What.samples, .windows, .stalls] {
        if try remove(what, of: session, before: session.now) { return true }
      }
    }
    return false
  }

  /// Brings windows to a level before their time.
  private func press(_ kind: CursorKey.Kind, _ level: Ladder.Level?) throws(SQLiteFailure) -> Bool {
    guard let level else { return false }
    for session in sessions {
      if try age(session, level, CursorKey(session: session.row, kind: kind, level: 0), .size) { return true }
    }
    return false
  }

  /// What of a session may go before others lose more: of one that is over all, of one being written what is older than
  /// the ladder's first level.
  private func bound(_ session: TendedSession) -> Nanoseconds {
    session.isOver ? .max : session.now.since(ladder.time.first?.age ?? 0)
  }

  private func remove(
    _ what: Removed.What, of session: TendedSession, before bound: Nanoseconds
  ) throws(SQLiteFailure) -> Bool {
    var cursor = sampleCursors[session.row] ?? 0
    let rows = try connection.write { () throws(SQLiteFailure) in
      let (rows, until): DetailRemoval.Count =
        switch what {
        case .samples:
          try details.removeSamples(of: session.row, from: &cursor, before: bound, atMost: Self.rowsAtATime)
        case .ticks: try details.removeTicks(of: session.row, before: bound, atMost: Self.rowsAtATime)
        case .stalls: try details.removeStalls(of: session.row, before: bound, atMost: Self.rowsAtATime)
        case .windows: try details.removeWindows(of: session.row, before: bound, atMost: Self.rowsAtATime)
        case .profiles: try details.removeProfiles(of: session.row, atMost: Self.rowsAtATime)
        case .cells, .histograms, .sessions: (0, nil)
        }
      if rows > 0 {
        try note(Removed(session: session.row, what: what, reason: .size, count: rows, until: until))
      }
      return rows
    }
    sampleCursors[session.row] = cursor
    // Cells around the stalls that are gone may become coarser now.
    if what == .stalls, rows > 0 { forgetCursors(of: session.row) }
    return rows > 0
  }

  private func remove(_ session: Int64, _ reason: Removed.Reason) throws(SQLiteFailure) {
    let outcome = try connection.write { () throws(SQLiteFailure) in
      try sessionRemoval.remove(session, reason, atMost: Self.rowsAtATime, wallNow: wallNow)
    }
    switch outcome {
    case .all: forget(session, reason)
    case .part(let part): if let part { partsOfSessions[session, default: []].append(part) }
    }
  }

  // MARK: Bookkeeping

  /// What was removed so far, of all sessions together; for whoever reports it.
  var removed: [Removed] { Self.sums(detailsRemoved + partsOfSessions.sorted { $0.key < $1.key }.flatMap(\.value)) }

  /// By kind and reason.
  private static func sums(_ parts: [Removed]) -> [Removed] {
    var sums: [Removed] = []
    for part in parts {
      if let place = sums.firstIndex(where: { $0.what == part.what && $0.reason == part.reason }) {
        sums[place].count += part.count
      } else {
        sums.append(Removed(session: nil, what: part.what, reason: part.reason, count: part.count, until: nil))
      }
    }
    return sums
  }

  private func note(_ removed: Removed) throws(SQLiteFailure) {
    try removals.note(removed, wallNow: wallNow)
    detailsRemoved = Self.sums(detailsRemoved + [removed])
  }

  private func forget(_ session: Int64, _ reason: Removed.Reason) {
    partsOfSessions[session] = nil
    detailsRemoved = Self.sums(
      detailsRemoved + [Removed(session: nil, what: .sessions, reason: reason, count: 1, until: nil)])
    expired.removeAll { $0 == session }
    sessions.removeAll { $0.row == session }
    forgetCursors(of: session)
    sampleCursors[session] = nil
  }

  private func forgetCursors(of session: Int64) {
    cursors = cursors.filter { $0.key.session != session || $0.key.kind.hasHistograms }
  }
}
