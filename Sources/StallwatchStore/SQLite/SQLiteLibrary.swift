import CSQLite

/// The SQLite library that this process uses.
package enum SQLiteLibrary {
  /// Its version, which may be newer than the one built against: `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// Limits the memory of all databases of the process together, in bytes. For a program that uses SQLite for stores
  /// alone; a watched program may have databases of its own.
  package static func limitMemory(to bytes: Int64) { _ = sqlite3_hard_heap_limit64(bytes) }
}
