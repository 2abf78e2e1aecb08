import CSQLite

/// What SQLite said when it could not do something. Stays within the module: callers see a ``StoreError``.
struct SQLiteFailure: Error {
  /// SQLite's extended result code.
  let code: Int32
  /// SQLite's words, or ours for contents that SQLite accepts and we do not.
  let message: String

  /// The result code without its extension.
  var primaryCode: Int32 { code & 0xff }

  /// A store's contents are not what its schema promises.
  static func badContents(_ message: String) -> SQLiteFailure {
    SQLiteFailure(code: SQLITE_CORRUPT, message: message)
  }

  /// Whether there was no room on the disk.
  var isFullDisk: Bool { primaryCode == SQLITE_FULL }

  /// Whether the same work may succeed a moment later: a lock that is let go, space that is freed.
  var mayPass: Bool {
    switch primaryCode {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_PROTOCOL,
      SQLITE_INTERRUPT:
      true
    default:
      false
    }
  }

  /// The same, told to the user about the store at `path`.
  func storeError(path: String) -> StoreError {
    switch primaryCode {
    case SQLITE_NOTADB:
      .foreign(path: path)
    // SQLITE_ERROR: a table or column that our statements name is not there.
    case SQLITE_CORRUPT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_FORMAT, SQLITE_CONSTRAINT, SQLITE_ERROR:
      .damaged(path: path, detail: message)
    case SQLITE_PERM, SQLITE_AUTH, SQLITE_READONLY:
      .notPermitted(path: path, detail: message)
    default:
      .failed(path: path, detail: message)
    }
  }
}

/// Runs `body`, telling what SQLite said in it as a ``StoreError`` about the store at `path`.
func reportingFailures<Result>(
  of path: String, _ body: () throws(SQLiteFailure) -> Result
) throws(StoreError) -> Result {
  do {
    return try body()
  } catch {
    throw error.storeError(path: path)
  }
}
