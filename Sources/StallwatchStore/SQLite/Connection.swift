import CSQLite

/// One open SQLite database. Belongs to one thread at a time.
final class Connection {
  let handle: OpaquePointer
  /// Asks ``StoreFileSystem`` to bring its copy of the log's index up to date; SQLite's own file system does not know it.
  static let refreshing: Int32 = 0x5357
  /// The longest text or blob taken from a file. Ours stay below 100 KB; the bound keeps a hostile file from asking for
  /// a gigabyte.
  private static let longestValue: Int32 = 16 << 20

  /// Opens `name`, a path or a `file:` URI. Creates nothing: a writer creates the file itself, so that nobody but the
  /// owner may read it even for a moment. `fileSystem` is one of SQLite's by its name; nil for its own.
  init(name: String, flags: Int32, fileSystem: UnsafePointer<CChar>? = nil) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, fileSystem)
    guard let opened else { throw SQLiteFailure(code: SQLITE_NOMEM, message: "out of memory") }
    handle = opened
    try check(status)
    try check(stallwatch_sqlite_distrust(handle))
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestValue)
  }

  deinit { sqlite3_close_v2(handle) }

  /// The file's path, from the root.
  var path: String { sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? "" }

  /// Brings the log into the file and keeps the closing from removing it: SQLite does that by its name, which may be
  /// another file's by now.
  func leaveLog() {
    _ = try? firstInteger("PRAGMA wal_checkpoint(TRUNCATE)")
    stallwatch_sqlite_leave_log(handle)
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The row that the last insertion made.
  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Compiles one statement.
  func prepare(_ sql: String) throws(SQLiteFailure) -> Statement {
    try Statement(sql, in: self)
  }

  /// Runs statements that give no rows and take no values.
  func run(_ sql: String) throws(SQLiteFailure) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// The first column of the first row, as text; nil when there is none.
  func firstText(_ sql: String) throws(SQLiteFailure) -> String? {
    let statement = try prepare(sql)
    guard try statement.step() else { return nil }
    var row = statement.row
    return try row.textIfAny()
  }

  /// The first column of the first row, as a number; nil when there is none.
  func firstInteger(_ sql: String) throws(SQLiteFailure) -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step() else { return nil }
    var row = statement.row
    return try row.integerIfAny()
  }

  /// Runs `body` in a transaction that has the write lock from its start, and undoes everything when it throws.
  func write<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
    // Else the first look at the log's index shows what it was after the last transaction, and SQLite takes a lock to see why.
    sqlite3_file_control(handle, "main", Self.refreshing, nil)
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // A full disk makes SQLite roll back by itself.
      if isInTransaction { try? run("ROLLBACK") }
      throw error
    }
  }

  /// Throws what SQLite said if `status` is an error.
  func check(_ status: Int32) throws(SQLiteFailure) {
    guard status != SQLITE_OK, status != SQLITE_ROW, status != SQLITE_DONE else { return }
    throw SQLiteFailure(code: status, message: String(cString: sqlite3_errmsg(handle)))
  }
}
