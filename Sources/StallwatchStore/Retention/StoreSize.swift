import StallwatchCore

/// How much of a store is used.
struct StoreSize {
  private let pageCount: Statement
  private let freePages: Statement
  private let pageSize: Int64

  init(_ connection: Connection) throws(SQLiteFailure) {
    pageCount = try connection.prepare("PRAGMA page_count")
    freePages = try connection.prepare("PRAGMA freelist_count")
    pageSize = try connection.firstInteger("PRAGMA page_size") ?? 4_096
  }

  /// The bytes of the pages that hold something. The file may be longer: SQLite fills its free pages first.
  func used() throws(SQLiteFailure) -> Int64 {
    ((try pageCount.firstInteger() ?? 0) - (try freePages.firstInteger() ?? 0)) * pageSize
  }
}
