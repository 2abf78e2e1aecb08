import StallwatchCore

/// Completes a store after the death of a process that wrote it.
package enum StoreFinaliser {
  /// How a process ended, as its parent saw it.
  package struct Exit: Sendable {
    /// The process that its parent waited for; it ran on this machine, since the last boot.
    package var pid: Int32
    /// Its exit status, or 128 + n for signal n.
    package var status: Int32
    /// Sessions up to this row are older than the process, even those with the same pid.
    package var earlierSessions: Int64

    /// Sets every property as given; checks nothing.
    package init(pid: Int32, status: Int32, earlierSessions: Int64 = 0) {
      self.pid = pid
      self.status = status
      self.earlierSessions = earlierSessions
    }
  }

  /// Marks the sessions of dead processes as killed and their open stalls as fatal, and stores `exit` with the latest
  /// session of its process. Leaves a single file if no other connection has the store open. Makes no store where there
  /// is none. Waits up to `busyTimeout` while another process writes. Throws ``StoreError``.
  package static func finalise(
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
    let regions = try connection.write { () throws(SQLiteFailure) in
      let regions = try DeadSessions.finalise(in: connection)
      if let exit { try note(exit, in: connection) }
      return regions
    }
    LiveRegion.remove(regions)
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
