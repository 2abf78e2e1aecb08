import StallwatchCore

/// Reads a store without changing it, also while it is being written. One reader serves one thread at a time.
///
/// A reader sees the store as it was when it was opened; open another one to see what came since. All its functions
/// throw ``StoreError``: a store may come from anywhere, and what it holds is checked as it is read.
public struct StoreReader {
  let access: ReadAccess
  private let known: [StoredSession]
  /// How each session ended, by row.
  let endings: [Int64: SessionEnding]

  /// Opens the store at `path`; a symbolic link to one is followed. Throws ``StoreError``.
  public init(path: String) throws {
    (access, known) = try Self.undisturbed {
      let access = try ReadAccess(path: path)
      return (access, try access.read { connection throws(SQLiteFailure) in try StoredSession.all(in: connection) })
    }
    endings = Dictionary(uniqueKeysWithValues: known.map { ($0.id, SessionEnding($0)) })
  }

  /// Runs `reading`, and runs it again if a recording began meanwhile in a store that it reads: from then on that store has
  /// a log, and is read beside its writer. `reading` opens its stores itself. Throws what it throws, also
  /// ``StoreError/recordingBegan(path:)`` where one recording after the other begins.
  public static func undisturbed<Result>(_ reading: () throws -> Result) throws -> Result {
    for _ in 1..<mostAttempts {
      do { return try reading() } catch StoreError.recordingBegan { continue }
    }
    return try reading()
  }

  /// The second attempt meets a log, unless that recording has ended already and a third has begun.
  private static let mostAttempts = 5

  /// All sessions, oldest first. Whether one that was not closed is still running is judged when the store is opened.
  public func sessions() throws -> [StoredSession] { known }

  /// The loops of a session, in the order in which they were seen.
  public func loops(session: Int64) throws -> [StoredLoop] {
    try access.read { connection throws(SQLiteFailure) in try StoredLoop.all(session: session, in: connection) }
  }

  /// The modes of a loop with their profiles, in the order in which they were seen.
  public func modes(loop: Int64) throws -> [StoredMode] {
    try access.read { connection throws(SQLiteFailure) in try StoredMode.all(loop: loop, in: connection) }
  }

  /// A session's cost, losses and intervals.
  public func health(session: Int64) throws -> StoredHealth {
    try access.read { connection throws(SQLiteFailure) in
      try StoredHealth.read(session: session, in: connection, version: access.version)
    }
  }
}

/// How a session ended, as stalls that were never completed need to know it.
struct SessionEnding {
  let end: SessionEnd
  let lastSeenNs: Nanoseconds

  init(_ session: StoredSession) {
    end = session.ended
    lastSeenNs = session.lastSeenNs
  }
}
