extension Migration {
  /// Timers with their ledgers, what stalls did to them, and the ticks of the drift probe.
  static var version4: Migration { Migration(version: 4, sql: health + tables + indexes + views) }

  private static let health = """
    ALTER TABLE health ADD COLUMN drift_wakeups INTEGER /* how often the drift probe woke a loop */ DEFAULT NULL;

    """

  private static let tables = """
    CREATE TABLE timers (
      -- A timer and its ledger. What was due is what was fired or dropped.
      id INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,        -- 1, 2, 3 … within the session
      loop INTEGER REFERENCES loops (id) ON DELETE CASCADE, -- the loop that serves it
      name TEXT,                      -- NULL: known by its origin
      kind TEXT NOT NULL,             -- run-loop, main-queue
      origin_address INTEGER NOT NULL, -- return address in the code that made it, stored as in images; 0: not known
      interval_ns INTEGER NOT NULL,   -- 0: all one-shots of the loop that were made there
      tolerance_ns INTEGER NOT NULL,  -- 0: none, or ignored by the system
      modes TEXT NOT NULL,            -- JSON array: the modes that it is in
      made_ns INTEGER NOT NULL,
      ended_ns INTEGER,               -- NULL: lasted as long as the session
      fired INTEGER NOT NULL DEFAULT 0,   -- due times that a callout served
      dropped INTEGER NOT NULL DEFAULT 0, -- due times that none served
      dropped_outside INTEGER NOT NULL DEFAULT 0, -- of these, due while the loop was outside any run
      coalesced INTEGER NOT NULL DEFAULT 0, -- callouts that stood for more than one due time
      rearmed INTEGER NOT NULL DEFAULT 0, -- how often the program gave it another fire date
      interval_changes INTEGER NOT NULL DEFAULT 0,
      callout_total_ns INTEGER NOT NULL DEFAULT 0, -- time in its own callout
      callout_max_ns INTEGER NOT NULL DEFAULT 0,
      lateness_count INTEGER NOT NULL DEFAULT 0, -- how late its callouts began: how many,
      lateness_total_ns INTEGER NOT NULL DEFAULT 0, -- their sum,
      lateness_max_ns INTEGER NOT NULL DEFAULT 0, -- the worst,
      lateness_histogram BLOB,        -- and all of them, encoded as in profile_windows; NULL: none
      worst_at_ns INTEGER,            -- when the worst began
      UNIQUE (session, number)
    ) STRICT;

    CREATE TABLE timer_drops (
      -- Due times of a timer that were dropped because its loop ran in a mode that the timer is not in.
      timer INTEGER NOT NULL REFERENCES timers (id) ON DELETE CASCADE,
      mode INTEGER NOT NULL REFERENCES modes (id) ON DELETE CASCADE,
      count INTEGER NOT NULL,
      PRIMARY KEY (timer, mode)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE stall_timers (
      -- A timer that a stall hurt.
      stall INTEGER NOT NULL REFERENCES stalls (id) ON DELETE CASCADE,
      timer INTEGER NOT NULL REFERENCES timers (id) ON DELETE CASCADE,
      late INTEGER NOT NULL,          -- callouts that came late
      dropped INTEGER NOT NULL,       -- due times in it that were dropped
      worst_lateness_ns INTEGER NOT NULL,
      PRIMARY KEY (stall, timer)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE drift_ticks (
      -- A moment that a loop and a GCD timer were both to serve.
      loop INTEGER NOT NULL REFERENCES loops (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,        -- on the grid that all loops of a session share
      due_ns INTEGER NOT NULL,
      run_loop_lateness_ns INTEGER,   -- NULL: dropped
      gcd_lateness_ns INTEGER,        -- NULL: dropped
      in_other_modes_ns INTEGER NOT NULL, -- the part of the loop's lateness spent in modes that the probe is not in
      PRIMARY KEY (loop, number)
    ) STRICT, WITHOUT ROWID;

    """

  private static let indexes = """
    CREATE INDEX timer_drops_by_mode ON timer_drops (mode);
    CREATE INDEX stall_timers_by_timer ON stall_timers (timer);
    CREATE INDEX timers_by_loop ON timers (loop);

    """

  private static let views = """
    CREATE VIEW timer_list AS
      -- Timers by name, with what was due and how late they came, the most dropped first.
      SELECT timers.id, timers.session, loops.name AS loop, timers.name, kind, interval_ns / 1e6 AS interval_ms,
        fired + dropped AS due, fired, dropped,
        (SELECT sum(count) FROM timer_drops WHERE timer = timers.id) AS dropped_by_mode, dropped_outside, coalesced,
        lateness_total_ns / 1e6 / nullif(lateness_count, 0) AS mean_lateness_ms, lateness_max_ns / 1e6 AS worst_ms,
        (SELECT count(*) FROM stall_timers WHERE timer = timers.id) AS stalls
      FROM timers LEFT JOIN loops ON loops.id = timers.loop
      ORDER BY dropped DESC, lateness_max_ns DESC;

    CREATE VIEW drift_by_minute AS
      -- How late a loop and the GCD timer beside it were, minute by minute.
      SELECT loops.session, loops.name AS loop, due_ns / 60000000000 - loops.started_ns / 60000000000 AS minute,
        count(*) AS ticks, count(*) - count(run_loop_lateness_ns) AS dropped,
        avg(run_loop_lateness_ns) / 1e6 AS run_loop_ms, avg(gcd_lateness_ns) / 1e6 AS gcd_ms,
        max(run_loop_lateness_ns) / 1e6 AS worst_run_loop_ms, max(gcd_lateness_ns) / 1e6 AS worst_gcd_ms
      FROM drift_ticks JOIN loops ON loops.id = drift_ticks.loop
      GROUP BY loops.id, minute;
    """
}
