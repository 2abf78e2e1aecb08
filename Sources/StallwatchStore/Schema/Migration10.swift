extension Migration {
  /// Texts that are found without being read all, and what a session's program says that it is.
  static var version10: Migration { Migration(version: 10, sql: texts + labels + sessions) }

  private static let texts = "CREATE INDEX texts_by_text ON texts (text);\n"

  private static let labels = """
    ALTER TABLE sessions ADD COLUMN service /* what the program is called; NULL: not said, so by its file */ TEXT;
    ALTER TABLE sessions ADD COLUMN release /* its version; NULL: not said, so by its build-id */ TEXT;
    ALTER TABLE sessions ADD COLUMN environment /* where it runs, such as production; NULL: not said */ TEXT;
    ALTER TABLE sessions ADD COLUMN instance /* what it runs on; NULL: not said, so by its host */ TEXT;
    ALTER TABLE sessions ADD COLUMN program_build_id /* of the program's own file; NULL: none, or not known */ TEXT;

    CREATE TABLE tags (
      -- What else a session's program says of itself.
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (session, name)
    ) STRICT, WITHOUT ROWID;

    """

  /// The sessions as before, with what they are.
  private static let sessions = """
    DROP VIEW session_list;
    CREATE VIEW session_list AS
      -- Sessions with their length and what happened in them. A look that yielded no stack is no loss.
      SELECT id, pid, host, command, strftime('%Y-%m-%dT%H:%M:%SZ', started_at / 1000000000, 'unixepoch') AS started,
        (last_seen_ns - started_ns) / 1e9 AS duration_s, ended, exit_status,
        (SELECT count(*) FROM loops WHERE loops.session = sessions.id) AS loops,
        (SELECT count(*) FROM stalls WHERE stalls.session = sessions.id AND state <> 'cancelled') AS stalls,
        (SELECT max(duration_ns) / 1e6 FROM stalls WHERE stalls.session = sessions.id AND state <> 'cancelled') AS worst_ms,
        (SELECT coalesce(sum(count), 0) FROM losses WHERE losses.session = sessions.id AND what <> 'looks') AS losses, trouble,
        service, release, environment, instance
      FROM sessions;
    """
}
