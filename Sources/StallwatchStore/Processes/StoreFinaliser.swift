import StallwatchCore

/// Completes a store after a process that wrote it has ended.
public enum StoreFinaliser {
  /// How a process ended, as its parent saw it.
  public struct Exit: Sendable {
    /// The process that was waited for; it ran on this machine, since the last boot.
    public var pid: Int32
    /// Its exit status, or 128 + n for a signal.
    public var status: Int32
    /// Sessions up to this row are older than the process, be their process's number the same.
    public var earlierSessions: Int64

    /// A process's end.
    public init(pid: Int32, status: Int32, earlierSessions: Int64 = 0) {
      self.pid = pid
      self.status = status
      self.earlierSessions = earlierSessions
    }
  }

  /// Marks the sessions of dead processes as killed and their open stalls as fatal, notes `exit` at the latest session
  /// of its process, and leaves a single file if nobody else has the store open. A store that is not there is not made.
  /// Takes up to `busyTimeout` when another process is writing. Throws ``StoreError``.
  public static func finalise(
    path: String, exit: Exit? = nil, busyTimeout: Nanoseconds = 2 * .second
  ) throws {
    let connection = try WritableStore.open(path, creating: false, busyTimeout: busyTimeout)
    defer { WritableStore.fold(connection) }
    try reportingFailures(of: path) { () throws(SQLiteFailure) in
      do throws(SQLiteFailure) {
        try complete(connection, exit)
      } catch {
        guard error.isFullDisk else { throw error }
        WritableStore.rewindLog(connection)
        try complete(connection, exit)
      }
    }
  }

  private static func complete(_ connection: Connection, _ exit: Exit?) throws(SQLiteFailure) {
    try connection.write { () throws(SQLiteFailure) in
      try DeadSessions.finalise(in: connection)
      if let exit { try note(exit, in: connection) }
    }
  }

  private static func note(_ exit: Exit, in connection: Connection) throws(SQLiteFailure) {
    let here = ProcessIdentity.current()
    let statement = try connection.prepare(
      """
      UPDATE sessions SET exit_status = ?2 WHERE id =
        (SELECT max(id) FROM sessions WHERE pid = ?1 AND boot_id = ?3 AND host = ?4 AND id > ?5)
      """)
    statement.bind(Int64(exit.pid), at: 1)
    statement.bind(Int64(exit.status), at: 2)
    statement.bind(here.bootID, at: 3)
    statement.bind(here.host, at: 4)
    statement.bind(exit.earlierSessions, at: 5)
    try statement.run()
  }
}
