import CSQLite

/// The system's SQLite.
public enum SQLiteLibrary {
  /// The version of the library in use, which may be newer than the one built against: `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }
}
