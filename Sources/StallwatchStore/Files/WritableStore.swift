import CSQLite
import StallwatchCore

/// Opens a store for writing, and leaves it as a single file.
enum WritableStore {
  /// Opens the store at `path` and brings its schema up to date; if `creating`, makes one where there is none. Does not
  /// change a file that is not a store.
  static func open(
    _ path: String, creating: Bool, busyTimeout: Nanoseconds, maximumSize: Int? = nil,
    fileSystem: UnsafePointer<CChar>? = nil
  ) throws(StoreError) -> Connection {
    let realPath = try StorePath.forWriting(path, creating: creating)
    try checkHeader(realPath: realPath, path: path, fileSystem: fileSystem)
    try RollbackJournal.check(besides: realPath, shown: path)
    let isNew = FileStatus(path: realPath, followingLinks: false)?.size == 0
    let connection = try reportingFailures(of: path) { () throws(SQLiteFailure) in
      let connection = try Connection(
        name: realPath, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, fileSystem: fileSystem)
      connection.waitForLocks(busyTimeout)
      // The log enters the store within the process's own limit, too; otherwise the last records could not be written.
      if let maximumSize = [maximumSize, FileSizeLimit.current].compactMap(\.self).min() {
        let pageSize = try connection.firstInteger("PRAGMA page_size") ?? 4_096
        try connection.run("PRAGMA max_page_count = \(Int64(maximumSize) / max(pageSize, 1))")
      }
      // NORMAL: a commit survives the death of the process, as promised, but not every commit survives a power cut.
      try connection.run("PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL")
      return connection
    }
    if !isNew { try checkSchema(connection, path: path) }
    let isKnown = try reportingFailures(of: path) { () throws(SQLiteFailure) in try Schema.migrate(connection) }
    if !isKnown {
      let version = try reportingFailures(of: path) { () throws(SQLiteFailure) in
        try connection.firstInteger("PRAGMA user_version")
      }
      throw .newer(path: path, version: Int(version ?? 0), supported: Schema.version)
    }
    return connection
  }

  /// From now on writes go to a log beside the store, so that readers and the writers of other processes do not wait
  /// for each other. Returns false when another connection has the store locked just now; writing works all the same.
  static func useLog(_ connection: Connection) -> Bool {
    guard (try? connection.firstText("PRAGMA journal_mode = WAL")) == "wal" else { return false }
    _ = try? connection.firstInteger("PRAGMA journal_size_limit = \(usualLogSize)")
    return true
  }

  /// In bytes. The log is brought into the store when it is 4 MB long, SQLite's default. It grows beyond that while
  /// somebody reads the store, and is cut to this length when it begins anew.
  static let usualLogSize = 4_500_000

  /// Brings the log into the store and reuses the room that the log has taken: on a full disk there is no other. Does
  /// nothing while a reader needs the log.
  static func rewindLog(_ connection: Connection) {
    _ = try? connection.firstInteger("PRAGMA wal_checkpoint(RESTART)")
  }

  /// Brings the log into the store and removes it, if no other connection has the store open: SQLite gives the lock
  /// that this needs only then. Otherwise the last connection to close does it.
  static func fold(_ connection: Connection) {
    connection.waitForLocks(0)
    _ = try? connection.firstInteger("PRAGMA wal_checkpoint(TRUNCATE)")
    for attempt in 0..<foldAttempts {
      if attempt > 0 { sqlite3_sleep(foldPauseMilliseconds) }
      if (try? connection.firstText("PRAGMA journal_mode = DELETE")) == "delete" { return }
    }
  }

  /// Another process that closes at the same moment is gone within milliseconds; one that goes on is not waited for.
  private static let foldAttempts = 5
  private static let foldPauseMilliseconds: Int32 = 10

  /// In one transaction, because another process may be bringing the store up to date.
  private static func checkSchema(_ connection: Connection, path: String) throws(StoreError) {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in try connection.run("BEGIN") }
    defer { try? connection.run("ROLLBACK") }
    _ = try Schema.checkedVersion(of: connection, path: path)
  }

  private static func checkHeader(
    realPath: String, path: String, fileSystem: UnsafePointer<CChar>?
  ) throws(StoreError) {
    let isAlone = !StorePath.exists(realPath + "-wal") && !StorePath.exists(realPath + "-journal")
    let header = try reportingFailures(of: path) { () throws(SQLiteFailure) in
      try StoreHeader(realPath: realPath, fileSystem: fileSystem)
    }
    if header.isEmpty { return }
    guard header.isStore else { throw .foreign(path: path) }
    if header.isTooShort || isAlone && header.endsWithinPage { throw .damaged(path: path, detail: "it is cut short") }
  }
}
