import CSQLite

/// A compiled statement, which can be bound and run repeatedly. For the thread of its connection.
final class Statement {
  let handle: OpaquePointer
  /// Kept alive as long as its statements exist.
  private let connection: Connection
  /// Makes SQLite copy a value before the call returns.
  private static let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ sql: String, in connection: Connection) throws(SQLiteFailure) {
    var compiled: OpaquePointer?
    let status = sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
    try connection.check(status)
    guard let compiled else { throw SQLiteFailure(code: SQLITE_MISUSE, message: "empty statement") }
    self.connection = connection
    handle = compiled
  }

  deinit { sqlite3_finalize(handle) }

  /// The columns of the current row, from the first.
  var row: Row { Row(statement: handle) }

  /// Goes to the next row. Returns false when there is none; the statement can then be used again.
  func step() throws(SQLiteFailure) -> Bool {
    let status = sqlite3_step(handle)
    if status == SQLITE_ROW {
      connection.countRow()
      return true
    }
    defer { sqlite3_reset(handle) }
    try connection.check(status)
    return false
  }

  /// Runs the statement to its end and ignores its rows.
  func run() throws(SQLiteFailure) {
    defer { sqlite3_reset(handle) }
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
  func reset() { sqlite3_reset(handle) }

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
