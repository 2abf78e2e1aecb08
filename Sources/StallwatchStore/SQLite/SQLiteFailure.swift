import CSQLite

/// A failure that SQLite reported. Stays within the module: callers get a ``StoreError``.
struct SQLiteFailure: Error {
  /// SQLite's extended result code.
  let code: Int32
  /// SQLite's words, or ours for contents that SQLite accepts but we do not.
  let message: String

  /// SQLITE_IOERR_SHORT_READ, which SQLite's header writes as an expression.
  static let shortRead = SQLITE_IOERR | (2 << 8)

  /// The result code without its extension.
  var primaryCode: Int32 { code & 0xff }

  /// The failure for contents that are not what the store's schema promises.
  static func badContents(_ message: String) -> SQLiteFailure {
    SQLiteFailure(code: SQLITE_CORRUPT, message: message)
  }

  /// Whether the disk was full.
  var isFullDisk: Bool { primaryCode == SQLITE_FULL }

  /// Whether another connection held a lock.
  var isLocked: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

  /// Whether the same work may succeed a moment later, when a lock is released or space is freed.
  var mayPass: Bool {
    switch primaryCode {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_PROTOCOL,
      SQLITE_INTERRUPT:
      true
    default:
      false
    }
  }

  /// `text` in printable ASCII, at most 300 characters, harmless to a terminal: SQLite's words quote a file's contents.
  static func harmless(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(300).map { (" "..."~").contains($0) ? $0 : "?" }))
  }

  /// This failure as an error about the store at `path`, for the user.
  func storeError(path: String) -> StoreError {
    switch primaryCode {
    case SQLITE_NOTADB:
      .foreign(path: path)
    // SQLITE_ERROR: statements are ours and the schema is known, so only the stored contents can be wrong.
    case SQLITE_CORRUPT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_FORMAT, SQLITE_CONSTRAINT, SQLITE_ERROR:
      .damaged(path: path, detail: Self.harmless(message))
    case SQLITE_INTERRUPT:
      .damaged(path: path, detail: "reading it takes more steps than its size allows")
    case SQLITE_NOMEM:
      .damaged(path: path, detail: "reading it takes more memory than is allowed")
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

/// Runs `body` and rethrows its failures as a ``StoreError`` about the store at `path`.
func reportingFailures<Result>(
  of path: String, _ body: () throws(SQLiteFailure) -> Result
) throws(StoreError) -> Result {
  do {
    return try body()
  } catch {
    throw error.storeError(path: path)
  }
}
