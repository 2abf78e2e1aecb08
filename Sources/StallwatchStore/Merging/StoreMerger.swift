import CSQLite
import StallwatchCore

/// Brings the sessions of many stores into one. Each store is brought in whole or not at all, in one transaction.
///
/// A session is known by its process (pid, start, boot) and its start: bringing it in again changes nothing, unless it has
/// gone on since, when it takes the place of what was known of it. Not for several threads at a time.
public final class StoreMerger {
  /// What became of one store's sessions.
  public struct Outcome: Sendable, Equatable {
    /// Sessions that were not known.
    public var added = 0
    /// Sessions that had gone on, and took the place of what was known of them.
    public var replaced = 0
    /// Sessions that were known as they are.
    public var known = 0
    /// Sessions that are still being recorded and were left out: only a piece of them is there.
    public var running = 0

    /// Nothing.
    public init() {}
  }

  private let path: String
  private let connection: Connection

  /// Opens the store at `path` to bring others into, and makes it where there is none. Throws ``StoreError``.
  public init(into path: String, busyTimeout: Nanoseconds = 2 * .second) throws {
    self.path = path
    connection = try WritableStore.open(path, creating: true, busyTimeout: busyTimeout)
  }

  /// Brings in the sessions of the store at `source`, which is not changed. Throws ``StoreError`` about `source` where it
  /// cannot be read, or about the store that is merged into where that cannot be written; nothing of `source` is there
  /// then. Takes memory for one loop's histograms, however large the store is.
  public func add(_ source: String) throws -> Outcome {
    let reader = try StoreReader(path: source)
    try StoreCheck.readAll(reader)
    var outcome = Outcome()
    var chosen: [(session: Int64, replacing: Int64?)] = []
    for session in try reader.sessions() {
      if session.ended == .running {
        outcome.running += 1
        continue
      }
      let known = try reportingFailures(of: path) { () throws(SQLiteFailure) in try self.known(like: session) }
      switch known {
      case .none:
        outcome.added += 1
        chosen.append((session.id, nil))
      case .some(let known) where known.isBehind(session):
        outcome.replaced += 1
        chosen.append((session.id, known.row))
      case .some: outcome.known += 1
      }
    }
    guard !chosen.isEmpty else { return outcome }
    do {
      try connection.write { () throws(SQLiteFailure) in
        for session in chosen {
          if let row = session.replacing { try connection.run("DELETE FROM sessions WHERE id = \(row)") }
        }
        let access = reader.access
        let copy = try SessionCopy(from: access.connection, version: access.version, into: connection)
        for session in chosen { try copy.copy(session: session.session) }
        try DeadSessions.finalise(in: connection)
      }
    } catch let failure {
      throw Self.isFault(of: failure) ? failure.storeError(path: source) : failure.storeError(path: path)
    }
    try reader.access.checkUndisturbed()
    return outcome
  }

  /// What is known of a session.
  private struct KnownSession {
    var row: Int64
    var lastSeenNs: Nanoseconds
    var isOver: Bool
    var hasExitStatus: Bool

    /// Whether `session` tells more.
    func isBehind(_ session: StoredSession) -> Bool {
      if session.lastSeenNs != lastSeenNs { return session.lastSeenNs > lastSeenNs }
      return !isOver || (!hasExitStatus && session.exitStatus != nil)
    }
  }

  private func known(like session: StoredSession) throws(SQLiteFailure) -> KnownSession? {
    let statement = try connection.prepare(
      """
      SELECT id, last_seen_ns, ended <> 'running', exit_status IS NOT NULL FROM sessions
      WHERE pid = ?1 AND process_start = ?2 AND boot_id = ?3 AND started_ns = ?4
      """)
    let record = session.record
    statement.bind(Int64(record.process.pid), at: 1)
    statement.bind(record.process.startTime, at: 2)
    statement.bind(record.process.bootID, at: 3)
    statement.bind(record.startedNs, at: 4)
    guard try statement.step() else { return nil }
    var row = statement.row
    return KnownSession(
      row: try row.number(), lastSeenNs: try row.number(), isOver: try row.number(Int64.self) != 0,
      hasExitStatus: try row.number(Int64.self) != 0)
  }

  /// Rows that a table refuses are the fault of the store that they come from.
  private static func isFault(of failure: SQLiteFailure) -> Bool {
    [SQLITE_CONSTRAINT, SQLITE_CORRUPT, SQLITE_MISMATCH, SQLITE_TOOBIG].contains(failure.primaryCode)
  }
}
