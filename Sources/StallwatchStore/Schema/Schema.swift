/// What makes an SQLite file a store, and how a store gets to the present version.
enum Schema {
  /// SQLite's application_id of every store: the ASCII letters `Stlw`.
  static let applicationID: Int64 = 0x5374_6c77

  /// Every step there ever was, oldest first. Append only.
  static let migrations: [Migration] = [.version1, .version2, .version3, .version4]

  /// The version that this code reads and writes.
  static let version = migrations.last!.version

  /// Tables that a reader of the present version needs.
  static let tables = tables(of: version)

  /// Tables that a reader needs of a store of that version. They must be tables of the file's own, not views or virtual
  /// tables by those names.
  static func tables(of version: Int) -> [String] {
    let first = [
      "sessions", "loops", "modes", "mode_windows", "profile_windows", "stalls", "intervals", "losses", "health",
    ]
    let sampled = version < 2 ? [] : ["images", "stacks", "samples", "profile_stacks"]
    return first + sampled + (version < 4 ? [] : ["timers", "timer_drops", "stall_timers", "drift_ticks"])
  }

  /// Brings the database up to date, in one transaction: other processes see the version before or the version after.
  /// Returns false, with nothing changed, when the database was written by a newer version.
  static func migrate(
    _ connection: Connection, by migrations: [Migration] = Schema.migrations
  ) throws(SQLiteFailure) -> Bool {
    guard let target = migrations.last?.version else { return true }
    let found = try connection.firstInteger("PRAGMA user_version") ?? 0
    if found == target { return true }
    return try connection.write { () throws(SQLiteFailure) in
      // Read again: another process may have done it while this one waited for the lock.
      let found = try connection.firstInteger("PRAGMA user_version") ?? 0
      guard found <= target else { return false }
      for migration in migrations where migration.version > found {
        try connection.run(migration.sql)
      }
      // Both are part of the file's header and of this transaction.
      try connection.run("PRAGMA application_id = \(applicationID)")
      try connection.run("PRAGMA user_version = \(target)")
      return true
    }
  }
}
