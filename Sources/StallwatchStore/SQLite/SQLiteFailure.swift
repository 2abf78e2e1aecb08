import CSQLite

/// What SQLite said when it could not do something. Stays within the module: callers see a ``StoreError``.
struct SQLiteFailure: Error {
  /// SQLite's extended result code.
  let code: Int32
  /// SQLite's words, or ours for contents that SQLite accepts and we do not.
  let message: String

  /// SQLITE_IOERR_SHORT_READ, which the header writes as an expression.
  static let shortRead = SQLITE_IOERR | (2 << 8)

  /// The result code without its extension.
  var primaryCode: Int32 { code & 0xff }

  /// A store's contents are not what its schema promises.
  static func badContents(_ message: String) -> SQLiteFailure {
    SQLiteFailure(code: SQLITE_CORRUPT, message: message)
  }

  /// Whether there was no room on the disk.
  var isFullDisk: Bool { primaryCode == SQLITE_FULL }

  /// Whether another connection had it locked.
  var isLocked: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

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

  /// `text` without anything that a terminal acts on, and not too long: SQLite's words quote what a file holds.
  static func harmless(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(300).map { (" "..."~").contains($0) ? $0 : "?" }))
  }

  /// The same, told to the user about the store at `path`.
  func storeError(path: String) -> StoreError {
    switch primaryCode {
    case SQLITE_NOTADB:
      .foreign(path: path)
    // SQLITE_ERROR: statements are ours and the schema is known, so only what is stored can be wrong.
    case SQLITE_CORRUPT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_FORMAT, SQLITE_CONSTRAINT, SQLITE_ERROR:
      .damaged(path: path, detail: Self.harmless(message))
    case SQLITE_INTERRUPT:
      .damaged(path: path, detail: "reading it takes more steps than its size allows for")
    case SQLITE_NOMEM:
      .damaged(path: path, detail: "reading it takes more memory than is allowed for")
    case SQLITE_IOERR where code == Self.shortRead:
      .damaged(path: path, detail: "it is cut short")
    case SQLITE_PERM, SQLITE_AUTH, SQLITE_READONLY:
      .notPermitted(path: path, detail: Self.harmless(message))
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      .busy(path: path)
    default:
      .failed(path: path, detail: Self.harmless(message))
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
