import CSQLite

/// A compiled statement, which can be bound and run repeatedly. For the thread of its connection.
///
/// One whose connection compiles late, or has released its memory since, compiles itself when it is next bound or run.
final class Statement {
  private let sql: String
  private var compiled: OpaquePointer?
  /// Which release of the connection's memory comes next, as it was when this was compiled.
  private var release = 0
  /// Why it could not be compiled; for the next step to report.
  private var failure: SQLiteFailure?
  /// Kept alive as long as its statements exist.
  private let connection: Connection
  /// Makes SQLite copy a value before the call returns.
  private static let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ sql: String, in connection: Connection) throws(SQLiteFailure) {
    self.sql = sql
    self.connection = connection
    if !connection.compilesLate { try compile() }
  }

  deinit {
    if isCompiled { sqlite3_finalize(compiled) }
  }

  /// SQLite's side of it; nil when it cannot be compiled, which SQLite's calls take for misuse and nothing worse.
  var handle: OpaquePointer? {
    if isCompiled { return compiled }
    do throws(SQLiteFailure) {
      try compile()
      failure = nil
      return compiled
    } catch {
      failure = error
      return nil
    }
  }

  private var isCompiled: Bool { compiled != nil && release == connection.releases }

  private func compile() throws(SQLiteFailure) {
    connection.isReleased = false
    // If SQLite wrote to `compiled` itself, Swift would check at each use of it that nobody writes it meanwhile.
    var new: OpaquePointer?
    let status = sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &new, nil)
    (compiled, release) = (new, connection.releases)
    try connection.check(status)
    if compiled == nil { throw SQLiteFailure(code: SQLITE_MISUSE, message: "empty statement") }
  }

  /// The columns of the current row, from the first.
  var row: Row { Row(statement: handle) }

  /// Goes to the next row. Returns false when there is none; the statement can then be used again.
  func step() throws(SQLiteFailure) -> Bool {
    let status = sqlite3_step(try ready())
    if status == SQLITE_ROW {
      connection.countRow()
      return true
    }
    defer { reset() }
    try connection.check(status)
    return false
  }

  /// Runs the statement to its end and ignores its rows.
  func run() throws(SQLiteFailure) {
    let handle = try ready()
    defer { reset() }
    while true {
      let status = sqlite3_step(handle)
      if status == SQLITE_DONE { return }
      try connection.check(status)
    }
  }

  /// The first column of the first row; nil without a row, or for NULL. The statement can then be used again.
  func firstInteger() throws(SQLiteFailure) -> Int64? {
    defer { reset() }
    guard try step() else { return nil }
    var row = row
    return try row.integerIfAny()
  }

  /// Releases the current row, so that the statement can be used again.
  func reset() {
    if isCompiled { sqlite3_reset(compiled) }
  }

  /// SQLite's side of it; throws why it cannot be compiled.
  private func ready() throws(SQLiteFailure) -> OpaquePointer {
    if let handle { return handle }
    throw failure ?? SQLiteFailure(code: SQLITE_MISUSE, message: "not compiled")
  }

  /// Sets the parameter at `position`, from 1; nil is NULL.
  func bind(_ value: Int64?, at position: Int32) {
    if let value {
      sqlite3_bind_int64(handle, position, value)
    } else {
      sqlite3_bind_null(handle, position)
    }
  }

  /// Sets the parameter to an unsigned figure. SQLite's numbers end at 2^63 − 1, which stands for anything beyond.
  func bind(_ value: UInt64?, at position: Int32) {
    bind(value.map(Int64.init(clamping:)), at: position)
  }

  /// Sets the parameter to a text; nil is NULL.
  func bind(_ value: String?, at position: Int32) {
    guard let value else { return bind(nil as Int64?, at: position) }
    let length = Int32(clamping: value.utf8.count)
    // Passes a C string, so that an empty text has an address too: SQLite would take no address for NULL.
    value.withCString { _ = sqlite3_bind_text(handle, position, $0, length, Self.copying) }
  }

  /// Sets the parameter to a blob; nil is NULL.
  func bind(_ value: [UInt8]?, at position: Int32) {
    guard let value else { return bind(nil as Int64?, at: position) }
    _ = value.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress {
        sqlite3_bind_blob(handle, position, start, Int32(clamping: bytes.count), Self.copying)
      } else {
        sqlite3_bind_zeroblob(handle, position, 0)
      }
    }
  }
}
