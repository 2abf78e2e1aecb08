import CSQLite

/// The system's SQLite.
public enum SQLiteLibrary {
  /// The version of the library in use, which may be newer than the one built against: `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }

  /// Keeps all of the process's databases together from taking more than so many bytes of memory. For a program that uses
  /// SQLite for stores alone: a program that is watched may have databases of its own.
  public static func limitMemory(to bytes: Int64) { _ = sqlite3_hard_heap_limit64(bytes) }
}
