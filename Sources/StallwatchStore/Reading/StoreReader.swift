import StallwatchCore

/// Reads a store without changing it, even while a writer writes it. A reader serves one thread at a time.
///
/// A reader sees the store as it was on opening; open another reader to see what came since. All its functions throw
/// ``StoreError``: a store may come from anywhere, so each function checks what it reads.
package struct StoreReader {
  let access: ReadAccess
  /// All sessions, whole.
  let known: [StoredSession]
  /// How each session ended, by the session's row.
  let endings: [Int64: SessionEnding]
  /// What only the live regions have, by the session's row.
  let live: [Int64: LiveFigures]
  /// What it lets through.
  package internal(set) var filter = StoreFilter()
  var knownModes = KnownModes()

  /// Opens the store at `path`; follows a symbolic link to one. Throws ``StoreError``.
  ///
  /// - Parameter progress: Called after every 1,024 rows with the number read so far.
  package init(path: String, progress: ((_ rows: Int) -> Void)? = nil) throws {
    (access, known, live) = try Self.undisturbed {
      let access = try ReadAccess(path: path)
      access.connection.progress = progress
      let (sessions, live) = try access.read { connection throws(SQLiteFailure) in
        try StoredSession.all(
          in: connection, json: access.json, regions: access.version < 5 ? [:] : access.regions,
          version: access.version)
      }
      return (access, sessions, live)
    }
    endings = Dictionary(uniqueKeysWithValues: known.map { ($0.id, SessionEnding($0)) })
  }

  /// Runs `reading`, and again if a recording began meanwhile in a store that it reads: from then on that store has a
  /// log, and readers work beside its writer. `reading` opens its stores itself. Throws what `reading` throws,
  /// including ``StoreError/recordingBegan(path:)`` if one recording after another begins.
  package static func undisturbed<Result>(_ reading: () throws -> Result) throws -> Result {
    for _ in 1..<mostAttempts {
      do { return try reading() } catch StoreError.recordingBegan { continue }
    }
    return try reading()
  }

  /// The second attempt meets a log, unless that recording has already ended and a third has begun.
  private static let mostAttempts = 5

  /// All sessions, oldest first. The opening decides whether an unclosed one still runs.
  package func sessions() throws -> [StoredSession] {
    filter.isEmpty ? known : known.compactMap(filter.admitted)
  }

  /// The loops of a session, in the order in which they were seen.
  package func loops(session: Int64) throws -> [StoredLoop] {
    var loops = try access.read { connection throws(SQLiteFailure) in
      try StoredLoop.all(session: session, in: connection, version: access.version)
    }
    for loop in live[session]?.loops ?? [] {
      guard let place = loops.firstIndex(where: { $0.id == loop.row }) else { continue }
      loops[place].outside = max(loops[place].outside, loop.outside)
      loops[place].activities = max(loops[place].activities, loop.activities)
    }
    if !filter.loops.isEmpty { loops.removeAll { !filter.loops.contains($0.record.name) } }
    guard filter.isCutByTime else { return loops }
    let modes = try access.read { connection throws(SQLiteFailure) in
      try knownModes.modes(session: session) { () throws(SQLiteFailure) in try sessionModes(session, connection) }
    }
    for place in loops.indices { loops[place].outside = modes.outside(loop: loops[place].id) }
    return loops
  }

  /// The modes of a loop with their profiles, in the order in which they were seen. Reads those of all loops of the
  /// session at once, and keeps them until it is asked for another session's.
  package func modes(loop: Int64) throws -> [StoredMode] {
    let modes = try access.read { [access] connection throws(SQLiteFailure) -> [StoredMode] in
      if access.version < 5 { return try StoredMode.ofOlderStore(loop: loop, in: connection) }
      guard let session = try connection.firstInteger("SELECT session FROM loops WHERE id = \(loop)") else { return [] }
      return try knownModes.modes(session: session) { () throws(SQLiteFailure) in
        try sessionModes(session, connection)
      }.modes(of: loop)
    }
    return filter.modes.isEmpty ? modes : modes.filter { filter.modes.contains($0.name) }
  }

  private func sessionModes(_ session: Int64, _ connection: Connection) throws(SQLiteFailure) -> SessionModes {
    try SessionModes(
      session, live: live[session], range: range(of: session), in: connection, version: access.version)
  }

  /// The monitor's cost in a session, its losses, and the excluded and blind intervals.
  package func health(session: Int64) throws -> StoredHealth {
    let range = range(of: session)
    return try access.read { [live] connection throws(SQLiteFailure) in
      var health = try StoredHealth.read(session: session, in: connection, version: access.version)
      if let later = live[session]?.health { health.update(later) }
      if live[session]?.isDamaged == true {
        health.trouble = [health.trouble, LiveRegionFile.damage].compactMap(\.self).joined(separator: "; ")
      }
      if let range { health.intervals = health.intervals.compactMap { $0.part(in: range) } }
      return health
    }
  }
}

/// How a session ended, for its stalls that were never completed.
struct SessionEnding {
  let end: SessionEnd
  let lastSeenNs: Nanoseconds

  init(_ session: StoredSession) {
    end = session.ended
    lastSeenNs = session.lastSeenNs
  }

  /// What a stall is that the store has as `stored`, and the reason that this adds.
  func state(of stored: StallState) -> (state: StallState, reason: String?) {
    guard stored == .began else { return (stored, nil) }
    return switch end {
    case .running: (.began, nil)
    case .killed: (.fatal, nil)
    case .clean: (.cancelled, StallCompletion.endUnknown)
    }
  }

  /// The length of a stall from `startedNs`, which the store has as `stored` with a length of `duration`.
  func duration(_ duration: Nanoseconds?, of stored: StallState, from startedNs: Nanoseconds) -> Nanoseconds {
    stored == .began ? lastSeenNs.since(startedNs) : duration ?? 0
  }
}
