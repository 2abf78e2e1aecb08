import CSQLite
import StallwatchCore
import StallwatchLibc

/// The memory of `ship`: how far each session was put into the spool, the spool itself, and counters.
///
/// A batch enters the spool in the same transaction that moves the checkpoints, and is deleted once it was taken. So a
/// kill at any moment loses nothing. A batch may be sent twice, but its rows count once. The ledger is one file, which
/// only its owner may read. For one process at a time, and for one thread. All functions throw ``LedgerError``.
package final class ShippingLedger {
  /// The file.
  package let path: String
  /// A random name of this machine, in place of its host name.
  package let instance: String
  /// What waits.
  package internal(set) var spool = SpoolState()
  /// The highest version that rows got.
  var highestVersion: UInt64 = 0
  let connection: Connection
  let statements: Statements
  private let lock: LedgerLock

  /// Opens the ledger of shipments to `destination` at `path`, or makes it.
  ///
  /// - Parameter holder: Who opens it, in words, for the messages of other processes that try.
  package init(path: String, destination: String, holder: String) throws(LedgerError) {
    let realPath: String
    do throws(StoreError) { realPath = try StorePath.forWriting(path, creating: true) } catch {
      throw .failed(path: path, detail: Self.reason(error))
    }
    self.path = path
    lock = try LedgerLock(ledger: realPath, holder: holder)
    (connection, statements, instance) = try Self.reporting(path) { () throws(SQLiteFailure) in
      let connection = try Connection(name: realPath, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW)
      guard try LedgerSchema.prepare(connection) else {
        throw SQLiteFailure(code: Self.newerCode, message: "newer")
      }
      // A log, so that a commit costs no flush. After a power cut, the last commits may be undone, all of each.
      _ = try connection.firstText("PRAGMA journal_mode = WAL")
      try connection.run("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF")
      try connection.keepPages(clean: Self.pagesKept, changed: Self.pagesKept)
      let statements = try Statements(connection)
      let instance = try Self.setting("instance", Self.randomName(), statements, connection)
      return (connection, statements, instance)
    }
    let its = try Self.reporting(path) { [statements, connection] () throws(SQLiteFailure) in
      try Self.setting("destination", destination, statements, connection)
    }
    guard its == destination else { throw .otherDestination(path: path, its: its) }
    (spool, highestVersion) = try reporting { () throws(SQLiteFailure) in (try readSpool(), try readVersion()) }
  }

  /// Pages have 4 KiB each; a batch takes some hundred.
  private static let pagesKept = 500
  /// Stands for a ledger of a newer version, for which SQLite has no code.
  private static let newerCode = SQLITE_SCHEMA

  /// Runs `body`, and rethrows its failure as one of this ledger.
  func reporting<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(LedgerError) -> Result {
    try Self.reporting(path, body)
  }

  /// Runs `body` in a transaction. Where the disk is full, tries again in the log's own room.
  func writing(_ body: () throws(SQLiteFailure) -> Void) throws(LedgerError) {
    try reporting { () throws(SQLiteFailure) in
      do throws(SQLiteFailure) {
        try connection.write(body)
      } catch {
        guard error.isFullDisk || error.primaryCode == SQLITE_IOERR else { throw error }
        WritableStore.rewindLog(connection)
        try connection.write(body)
      }
    }
  }

  private static func reporting<Result>(
    _ path: String, _ body: () throws(SQLiteFailure) -> Result
  ) throws(LedgerError) -> Result {
    do throws(SQLiteFailure) { return try body() } catch {
      if error.code == newerCode, error.message == "newer" { throw .newer(path: path) }
      throw LedgerError(error, path: path)
    }
  }

  /// The value of a setting. A setting without one gets `value`, and keeps it.
  private static func setting(
    _ name: String, _ value: String, _ statements: Statements, _ connection: Connection
  ) throws(SQLiteFailure) -> String {
    let add = statements.addSetting
    add.bind(name, at: 1)
    add.bind(value, at: 2)
    try add.run()
    let find = statements.findSetting
    find.bind(name, at: 1)
    defer { find.reset() }
    guard try find.step() else { throw .badContents("a setting is missing") }
    var row = find.row
    return try row.text()
  }

  private static func randomName() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = String(generator.next(), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The message of a failed opening without the path, because ``LedgerError`` adds that itself.
  private static func reason(_ error: StoreError) -> String {
    let text = error.message
    return text.hasPrefix(error.path + ": ") ? String(text.dropFirst(error.path.count + 2)) : text
  }

  /// The statements, compiled once.
  struct Statements {
    let addSetting, setSetting, findSetting: Statement
    let findCheckpoint, checkpointsOfStore, putCheckpoint, removeCheckpoint: Statement
    let addBatch, addBody, nextBatch, removeBatch, rejectBatch, oldest: Statement
    let addName, findName: Statement
    let addLeftOut, findLeftOut: Statement
    let addCounter: Statement

    init(_ connection: Connection) throws(SQLiteFailure) {
      addSetting = try connection.prepare("INSERT INTO settings VALUES (?1, ?2) ON CONFLICT DO NOTHING")
      setSetting = try connection.prepare("INSERT OR REPLACE INTO settings VALUES (?1, ?2)")
      findSetting = try connection.prepare("SELECT value FROM settings WHERE name = ?1")
      let columns =
        "session, store, stall, reading_stall, reading_moment, reading_taken, open, hour, is_final, sign, last_seen, seen, removed"
      findCheckpoint = try connection.prepare("SELECT \(columns) FROM checkpoints WHERE session = ?1")
      checkpointsOfStore = try connection.prepare("SELECT \(columns) FROM checkpoints WHERE store = ?1")
      putCheckpoint = try connection.prepare(
        "INSERT OR REPLACE INTO checkpoints (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
      )
      removeCheckpoint = try connection.prepare("DELETE FROM checkpoints WHERE session = ?1")
      addBatch = try connection.prepare(
        """
        INSERT INTO batches (table_name, columns, priority, rows, size, made, sessions)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """)
      addBody = try connection.prepare("INSERT INTO bodies VALUES (?1, ?2)")
      nextBatch = try connection.prepare(
        """
        SELECT id, table_name, columns, priority, rows, made, sessions, body
        FROM batches JOIN bodies ON bodies.batch = batches.id
        WHERE rejected IS NULL = 1 AND id > ?1 ORDER BY id LIMIT 1
        """)
      removeBatch = try connection.prepare("DELETE FROM batches WHERE id = ?1")
      rejectBatch = try connection.prepare("UPDATE batches SET rejected = ?2 WHERE id = ?1")
      oldest = try connection.prepare("SELECT made FROM batches WHERE rejected IS NULL = 1 ORDER BY id LIMIT 1")
      addName = try connection.prepare("INSERT OR REPLACE INTO names VALUES (?1, ?2)")
      findName = try connection.prepare("SELECT said FROM names WHERE hash = ?1")
      addLeftOut = try connection.prepare(
        """
        INSERT INTO left_out VALUES (?1, ?2, ?3)
        ON CONFLICT DO UPDATE SET count = min(count + excluded.count, 9007199254740992)
        """)
      findLeftOut = try connection.prepare("SELECT what, count FROM left_out WHERE session = ?1 ORDER BY what")
      addCounter = try connection.prepare(
        """
        INSERT INTO counters VALUES (?1, ?2)
        ON CONFLICT DO UPDATE SET value = min(value + excluded.value, 9007199254740992)
        """)
    }
  }
}
