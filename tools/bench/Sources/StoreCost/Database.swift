import CSQLite
import Foundation

/// SQLite with nothing around it.
final class Database {
  struct Failure: Error {
    var message: String
  }

  private var handle: OpaquePointer?

  init(_ path: String) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else { throw failure() }
  }

  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw failure() }
    return statement
  }

  func run(_ statement: OpaquePointer, with values: [OpaquePointer]) throws {
    // A statement that uses some of its places only refuses the others: they are of no use to it.
    for (place, value) in values.enumerated() { sqlite3_bind_value(statement, Int32(place + 1), value) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
    sqlite3_reset(statement)
  }

  func texts(_ sql: String) throws -> [String] {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    var found: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW { found.append(String(cString: sqlite3_column_text(statement, 0))) }
    return found
  }

  /// Every column of every row; the values are never freed.
  func values(_ sql: String) throws -> [[OpaquePointer]] {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    var found: [[OpaquePointer]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      found.append(
        (0..<sqlite3_column_count(statement)).compactMap { sqlite3_value_dup(sqlite3_column_value(statement, $0)) })
    }
    return found
  }

  private func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }
}
