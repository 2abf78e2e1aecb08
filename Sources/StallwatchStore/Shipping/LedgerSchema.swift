/// The tables of the ledger. The migrations after its own version bring an older ledger up to date.
enum LedgerSchema {
  /// Marks the file: "StwL".
  static let applicationID: Int64 = 0x5374_774c

  /// The version of ``migrations``.
  static var version: Int { migrations.count }

  /// Never changed once released; a later version adds its own at the end.
  static let migrations = [
    """
    CREATE TABLE settings (
      -- destination: where everything goes; instance: this machine's random name.
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT;

    CREATE TABLE checkpoints (
      -- How far each session has been put into the spool.
      session INTEGER PRIMARY KEY,    -- its number in rows, as a signed number
      store TEXT NOT NULL,
      stall INTEGER NOT NULL,
      reading_stall INTEGER NOT NULL, -- how far a reading came that was broken off
      reading_moment INTEGER NOT NULL,
      reading_taken INTEGER NOT NULL,
      open TEXT NOT NULL,             -- stalls that were not over: number@hour number@hour …
      hour INTEGER NOT NULL,
      is_final INTEGER NOT NULL,
      sign TEXT NOT NULL,
      last_seen INTEGER NOT NULL,
      seen INTEGER NOT NULL,
      removed INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX checkpoints_by_store ON checkpoints (store);

    CREATE TABLE batches (
      -- The spool: what is sent in this order. A batch that was taken is deleted.
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      table_name TEXT NOT NULL,
      columns TEXT NOT NULL,          -- joined by commas
      priority INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      size INTEGER NOT NULL,          -- of the spool, in bytes
      made INTEGER NOT NULL,          -- nanoseconds since 1970
      sessions TEXT NOT NULL,         -- rows of each session: session:rows session:rows …
      rejected TEXT                   -- why the destination will never take it; NULL while it waits
    ) STRICT;
    CREATE INDEX batches_by_state ON batches (rejected IS NULL, id);

    CREATE TABLE bodies (
      batch INTEGER PRIMARY KEY REFERENCES batches (id) ON DELETE CASCADE,
      body BLOB NOT NULL
    ) STRICT;

    CREATE TABLE names (
      -- Names that were said lately, by a hash, and when: they are not said again every time.
      hash INTEGER PRIMARY KEY,
      said INTEGER NOT NULL           -- seconds since 1970
    ) STRICT;

    CREATE TABLE left_out (
      -- What was not sent of a session, and will not be.
      session INTEGER NOT NULL,
      what TEXT NOT NULL,
      count INTEGER NOT NULL,
      PRIMARY KEY (session, what)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE counters (
      -- What was done since the ledger was made.
      name TEXT PRIMARY KEY,
      value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE memory (
      -- What a delivery has to know of those before it.
      key TEXT PRIMARY KEY,
      body BLOB NOT NULL,
      at INTEGER NOT NULL             -- seconds since 1970
    ) STRICT;
    CREATE INDEX memory_by_age ON memory (at);
    """
  ]

  /// Brings the ledger up to date. Returns false where a newer Stallwatch made it. Throws for another kind of file.
  static func prepare(_ connection: Connection) throws(SQLiteFailure) -> Bool {
    let pages = try connection.firstInteger("PRAGMA page_count") ?? 0
    if pages == 0 {
      // Gives pages that the spool no longer needs back to the disk. Can only be set while the file is empty.
      try connection.run("PRAGMA auto_vacuum = INCREMENTAL")
    } else {
      let application = try connection.firstInteger("PRAGMA application_id") ?? 0
      let tables = try connection.firstInteger("SELECT count(*) FROM sqlite_schema") ?? 0
      guard application == applicationID || application == 0 && tables == 0 else {
        throw .badContents("it is another program's database")
      }
    }
    return try connection.write { () throws(SQLiteFailure) in
      let known = Int(clamping: try connection.firstInteger("PRAGMA user_version") ?? 0)
      guard known <= version else { return false }
      for statements in migrations.dropFirst(max(known, 0)) { try connection.run(statements) }
      try connection.run("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
      return true
    }
  }
}
