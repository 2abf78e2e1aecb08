import CSQLite
import StallwatchCore

/// One open SQLite database. For one thread at a time.
final class Connection {
  let handle: OpaquePointer
  /// The pause between two tries for a lock. SQLite's own pauses grow to 100 ms, so that newcomers take the lock ahead
  /// of those that have waited long; a transaction takes a few milliseconds.
  private static let lockPauseMilliseconds: Int32 = 5
  /// The longest text or blob accepted from a file, in bytes. Ours stay below 100 KB; the bound keeps a hostile file
  /// from demanding a gigabyte.
  private static let longestValue: Int32 = 16 << 20
  /// How many steps SQLite's machine may still take; nil while they are not counted.
  private var stepsLeft: UnsafeMutablePointer<Int64>?
  /// Whether statements are compiled when they are first used: of a hundred that a writer has, most never are.
  var compilesLate = false
  /// How often memory was released: statements compiled before the last time are no more.
  private(set) var releases = 0
  /// Whether nothing was compiled since memory was released, so that there is nothing to release.
  var isReleased = false
  /// How many rows the statements have read together.
  private var rowsRead = 0
  /// Called after every 1,024 rows with the number read so far.
  var progress: ((_ rows: Int) -> Void)?

  /// Opens `name`, a path or a `file:` URI. Creates no file: a writer creates it itself, so that nobody but the owner
  /// may read it even for a moment. `fileSystem` names one of SQLite's file systems; nil selects its own.
  init(name: String, flags: Int32, fileSystem: UnsafePointer<CChar>? = nil) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, fileSystem)
    guard let opened else { throw SQLiteFailure(code: SQLITE_NOMEM, message: "out of memory") }
    handle = opened
    try check(status)
    try check(stallwatch_sqlite_distrust(handle))
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestValue)
    // A mapped file that is cut short meanwhile would kill the process.
    try run("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
  }

  deinit {
    // Statements that still exist keep SQLite's side of the connection alive.
    sqlite3_progress_handler(handle, 0, nil, nil)
    stepsLeft?.deallocate()
    sqlite3_close_v2(handle)
  }

  /// Ends every statement once all together have taken more steps than any of our queries needs for a database of
  /// `size` bytes: pages of a hostile file may refer to each other without end.
  func limitSteps(forSize size: Int64) {
    let steps = stepsLeft ?? .allocate(capacity: 1)
    steps.initialize(to: Self.baseSteps + min(max(size, 0), Self.largestSize) * Self.stepsPerByte)
    stepsLeft = steps
    sqlite3_progress_handler(
      handle, Self.stepsBetweenLooks,
      { context in
        guard let steps = context?.assumingMemoryBound(to: Int64.self) else { return 0 }
        steps.pointee -= Int64(Connection.stepsBetweenLooks)
        return steps.pointee < 0 ? 1 : 0
      }, steps)
  }

  /// A report takes less than 20 steps for each byte of its store.
  private static let stepsPerByte: Int64 = 500
  /// In bytes: a petabyte. A greater size is no store's, but a length that somebody wrote.
  private static let largestSize: Int64 = 1 << 50
  private static let baseSteps: Int64 = 20_000_000
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Makes every statement wait about `timeout` for other connections' locks.
  func waitForLocks(_ timeout: Nanoseconds) {
    let tries = Int(clamping: timeout / (UInt64(Self.lockPauseMilliseconds) * .millisecond))
    sqlite3_busy_handler(
      handle,
      { tries, count in
        guard Int(count) < Int(bitPattern: tries) else { return 0 }
        sqlite3_sleep(Connection.lockPauseMilliseconds)
        return 1
      }, UnsafeMutableRawPointer(bitPattern: tries))
  }

  /// Keeps at most `clean` pages that the file has, in memory from then on taken as it is needed, and up to `changed`
  /// pages that a transaction has changed, before it writes them early.
  func keepPages(clean: Int, changed: Int) throws(SQLiteFailure) {
    try run("PRAGMA cache_size = \(clean); PRAGMA cache_spill = \(changed)")
  }

  /// Releases what SQLite keeps for the next statement: all compiled statements, the schema and the pages read. They
  /// are compiled and read again when they are needed, which takes about a millisecond. Only while no statement is
  /// being used; does nothing within a transaction.
  func releaseMemory() {
    guard !isInTransaction, !isReleased else { return }
    while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
    releases += 1
    // The documented way to make SQLite read the schema anew. It also forbids to write the schema as a table, as ever.
    try? run("PRAGMA writable_schema = RESET")
    sqlite3_db_release_memory(handle)
    sqlite3_file_control(handle, "main", StoreFileSystem.giveBackMemory, nil)
    isReleased = true
  }

  /// Counts a row that a statement read.
  func countRow() {
    rowsRead &+= 1
    if rowsRead & 1_023 == 0 { progress?(rowsRead) }
  }

  /// The file's absolute path.
  var path: String { sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? "" }

  /// Brings the log into the file, and keeps SQLite from removing the log on closing: SQLite removes it by name, which
  /// may be another file's by now.
  func leaveLog() {
    _ = try? firstInteger("PRAGMA wal_checkpoint(TRUNCATE)")
    stallwatch_sqlite_leave_log(handle)
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The number of the row inserted last.
  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// How many rows the last statement inserted, changed or deleted itself; those that went along with them not counted.
  var changes: Int64 { Int64(sqlite3_changes(handle)) }

  /// Compiles one statement; throws if SQLite refuses it.
  func prepare(_ sql: String) throws(SQLiteFailure) -> Statement {
    try Statement(sql, in: self)
  }

  /// Runs statements that return no rows and take no values.
  func run(_ sql: String) throws(SQLiteFailure) {
    isReleased = false
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// The first column of the first row, as a text; nil without a row, or for NULL.
  func firstText(_ sql: String) throws(SQLiteFailure) -> String? {
    let statement = try prepare(sql)
    guard try statement.step() else { return nil }
    var row = statement.row
    return try row.textIfAny()
  }

  /// The first column of the first row, as a number; nil without a row, or for NULL.
  func firstInteger(_ sql: String) throws(SQLiteFailure) -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step() else { return nil }
    var row = statement.row
    return try row.integerIfAny()
  }

  /// Runs `body` in a transaction that has the write lock from its start. Undoes everything before it throws.
  func write<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // SQLite rolls back by itself on a full disk.
      if isInTransaction { try? run("ROLLBACK") }
      throw error
    }
  }

  /// Throws SQLite's message if `status` is an error.
  func check(_ status: Int32) throws(SQLiteFailure) {
    guard status != SQLITE_OK, status != SQLITE_ROW, status != SQLITE_DONE else { return }
    throw SQLiteFailure(code: status, message: String(cString: sqlite3_errmsg(handle)))
  }
}

/// The SQLite library that this process uses.
package enum SQLiteLibrary {
  /// Its version, which may be newer than the one built against: `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// Limits the memory of all databases of the process together, in bytes. For a program that uses SQLite for stores
  /// alone; a watched program may have databases of its own.
  package static func limitMemory(to bytes: Int64) { _ = sqlite3_hard_heap_limit64(bytes) }
}
