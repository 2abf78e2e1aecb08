/// The mark and the schema of a store, and the steps to the present version.
enum Schema {
  /// SQLite's application_id of every store: the ASCII letters `Stlw`.
  static let applicationID: Int64 = 0x5374_6c77

  /// Every step ever released, oldest first. Append only. Made anew each time: they are 32 KB of text, which a program
  /// that is watched should not keep.
  static var migrations: [Migration] {
    [
      .version1, .version2, .version3, .version4, .version5, .version6, .version7, .version8, .version9, .version10,
    ]
  }

  /// The version that this code reads and writes.
  static let version = Migration.version10.version

  /// The tables that a reader of the present version needs.
  static let tables = tables(of: version)

  /// The tables that a reader needs in a store of `version`. They must be tables of the file's own, not views or
  /// virtual tables of these names.
  static func tables(of version: Int) -> [String] {
    let windows =
      version < 5 ? ["mode_windows", "profile_windows"] : ["time_windows", "metric_windows", "removals"]
    let first = ["sessions", "loops", "modes"] + windows + ["stalls", "intervals", "losses", "health"]
    let sampled = version < 2 ? [] : ["images", "stacks", "samples", "profile_stacks"]
    return first + sampled
      + (version < 4 ? [] : ["timers", "timer_drops", "stall_timers", version < 5 ? "drift_ticks" : "ticks"])
      + (version < 6 ? [] : ["tick_windows", "timer_windows"])
      + (version < 9 ? [] : ["named_images", "texts", "names", "stack_functions"])
      + (version < 10 ? [] : ["tags"])
  }

  /// The schema that the migrations make of an empty database; nil where there is no such version.
  static func definition(of version: Int) -> SchemaDefinition? {
    guard (0...Schema.version).contains(version) else { return nil }
    return SchemaDefinition(of: FreshSchema(migrations.filter { $0.version <= version }))
  }

  /// The version of the database in `connection`. Throws if its schema is not the one that the migrations make, or if
  /// it is newer.
  static func checkedVersion(of connection: Connection, path: String) throws(StoreError) -> Int {
    let (version, found) = try reportingFailures(of: path) { () throws(SQLiteFailure) in
      (Int(try connection.firstInteger("PRAGMA user_version") ?? 0), try SchemaDefinition(of: connection))
    }
    if version > Schema.version { throw .newer(path: path, version: version, supported: Schema.version) }
    guard let expected = definition(of: version) else {
      throw .damaged(path: path, detail: "there is no schema version \(version)")
    }
    if let difference = found.difference(from: expected) { throw .altered(path: path, detail: difference) }
    return version
  }

  /// Makes the schema in a database that has none, or brings an older one up to date, in one transaction: other
  /// processes see the old version or the new one. Returns false, and changes nothing, if a newer version wrote the
  /// database.
  static func migrate(
    _ connection: Connection, by migrations: [Migration] = Schema.migrations
  ) throws(SQLiteFailure) -> Bool {
    guard let target = migrations.last?.version else { return true }
    let found = try connection.firstInteger("PRAGMA user_version") ?? 0
    if found == target { return true }
    return try connection.write { () throws(SQLiteFailure) in
      // Reads it again: another process may have migrated while this one waited for the lock.
      let found = try connection.firstInteger("PRAGMA user_version") ?? 0
      guard found <= target else { return false }
      if found == 0 {
        try connection.run(FreshSchema(migrations).sql)
      } else {
        for migration in migrations where migration.version > found { try connection.run(migration.sql) }
      }
      // Both are part of the file's header and of this transaction.
      try connection.run("PRAGMA application_id = \(applicationID)")
      try connection.run("PRAGMA user_version = \(target)")
      return true
    }
  }
}

/// One step of the schema, from the previous version to its own. Once released it never changes: stores that took it
/// exist. A new need is a new migration at the end of ``Schema/migrations``.
struct Migration: Sendable {
  /// The user_version to which the step leads.
  let version: Int
  /// The statements of the step, of the kinds that ``FreshSchema`` knows, and such as bring rows along that are there.
  let sql: String
}
