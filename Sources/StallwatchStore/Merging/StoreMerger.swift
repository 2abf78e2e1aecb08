import CSQLite
import StallwatchCore

/// Merges the sessions of many stores into one. Each store is merged whole or not at all, in one transaction.
///
/// Process (pid, start, boot) and start identify a session. Merging it again changes nothing, unless it has gone on
/// since; then it replaces the earlier contents. For one thread at a time.
package final class StoreMerger {
  /// What happened to one store's sessions.
  package struct Outcome: Sendable, Equatable {
    /// Sessions that the merged store did not have.
    package var added = 0
    /// Sessions that had gone on and replaced their earlier contents.
    package var replaced = 0
    /// Sessions that the merged store had in full.
    package var known = 0
    /// Sessions left out because their recording still goes on: the store has only a piece of them.
    package var running = 0

    /// All counts 0.
    package init() {}
  }

  private let path: String
  private let connection: Connection

  /// Opens the store at `path` to merge others into, or makes one where there is none. Throws ``StoreError``.
  package init(into path: String, busyTimeout: Nanoseconds = 2 * .second) throws {
    self.path = path
    connection = try WritableStore.open(path, creating: true, busyTimeout: busyTimeout)
  }

  /// Merges the sessions of the store at `source`, which is not changed. Throws ``StoreError`` about `source` if it
  /// cannot be read, or about the merged store if it cannot be written; nothing of `source` is merged then. Takes
  /// memory for one loop's histograms, whatever the store's size.
  package func add(_ source: String) throws -> Outcome {
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
        for session in chosen {
          try copy.copy(session: session.session)
          if let live = reader.live[session.session] { try copy.bringIn(live, session: session.session) }
        }
        try copy.copyNames(of: chosen.map(\.session))
        _ = try DeadSessions.finalise(in: connection)
      }
    } catch let failure {
      throw Self.isFault(of: failure) ? failure.storeError(path: source) : failure.storeError(path: path)
    }
    try reader.access.checkUndisturbed()
    return outcome
  }

  /// A session as the merged store has it.
  private struct KnownSession {
    var row: Int64
    var lastSeenNs: Nanoseconds
    var isOver: Bool
    var hasExitStatus: Bool

    /// Whether `session` contains more.
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

  /// Rows that a table refuses are the fault of the store they come from.
  private static func isFault(of failure: SQLiteFailure) -> Bool {
    [SQLITE_CONSTRAINT, SQLITE_CORRUPT, SQLITE_MISMATCH, SQLITE_TOOBIG].contains(failure.primaryCode)
  }
}
