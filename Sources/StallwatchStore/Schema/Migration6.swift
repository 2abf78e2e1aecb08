extension Migration {
  /// Windows of the drift probe's ticks and of timers' lateness, clustered by session and time like all windows. Ticks of
  /// older versions stay rows: their histograms cannot be made in SQL, and they age by being removed.
  static var version6: Migration { Migration(version: 6, sql: ticks + tables + views) }

  private static let ticks = """
    ALTER TABLE ticks ADD COLUMN machine_ns INTEGER /* the part of the loop's lateness in which the GCD timer was late, too;
      NULL: an older version wrote this tick, and no window counts it */ DEFAULT NULL;

    """

  private static let tables = """
    CREATE TABLE tick_windows (
      -- The drift probe's ticks on a loop in one window of time. Those that the loop served more than 1 ms late are also
      -- rows of ticks, at most the 16 latest of each window of a minute.
      -- No reference to loops is declared: to remove a loop, SQLite would search all windows for it.
      -- Unlike the other windows it has row numbers: without them, a row beyond a quarter of a page takes pages of its own.
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      started_ns INTEGER NOT NULL,    -- the window's start
      loop INTEGER NOT NULL,
      number INTEGER NOT NULL,        -- 1, 2, 3 … within the session, in the order of being written
      length_ns INTEGER NOT NULL,
      ticks INTEGER NOT NULL,         -- how many; those that the loop dropped are the ones beyond run_loop_count
      first_number INTEGER NOT NULL,  -- the first tick's number on the grid that all loops of a session share,
      first_due_ns INTEGER NOT NULL,  -- and when it was due
      last_number INTEGER NOT NULL,
      last_due_ns INTEGER NOT NULL,
      run_loop_count INTEGER NOT NULL, -- how late the loop served ticks: how many,
      run_loop_total_ns INTEGER NOT NULL, -- their sum,
      run_loop_max_ns INTEGER NOT NULL, -- the worst,
      run_loop_histogram BLOB,        -- and all of them, encoded as in metric_windows; NULL: none
      gcd_count INTEGER NOT NULL,     -- the same of the GCD timer
      gcd_total_ns INTEGER NOT NULL,
      gcd_max_ns INTEGER NOT NULL,
      gcd_histogram BLOB,
      drift_count INTEGER NOT NULL,   -- the loop's lateness less the GCD timer's, where both served the tick: how many,
      drift_total_ns INTEGER NOT NULL, -- the sum of those above 0,
      drift_max_ns INTEGER,           -- the greatest, which may be below 0,
      drift_histogram BLOB,           -- those from 0 on,
      drift_below_histogram BLOB,     -- and the others, without their sign
      in_other_modes_ns INTEGER NOT NULL, -- the part of the loop's lateness spent in modes that the probe is not in
      late INTEGER NOT NULL,          -- ticks that the loop served more than 1 ms late: how many,
      late_ns INTEGER NOT NULL,       -- their lateness,
      machine_ns INTEGER NOT NULL,    -- and the part of it in which the GCD timer was late, too
      gcd_late_ns INTEGER NOT NULL,   -- the lateness of the GCD timer over the ticks that it served more than 1 ms late
      left_out INTEGER NOT NULL,      -- late ticks that are no rows of ticks: how many,
      left_out_ns INTEGER NOT NULL,   -- and their lateness without the GCD timer's part
      steps INTEGER NOT NULL,         -- for the slope, over the served ticks: the sum of step, the number less the first's,
      steps_squared INTEGER NOT NULL, -- of step * step,
      steps_lateness INTEGER NOT NULL, -- and of step * lateness
      cell_ns INTEGER NOT NULL,       -- the length of a cell
      cells BLOB,                     -- the worst lateness in each part of the window, of the ticks that are not kept as
                                      -- rows: the loop's and the GCD timer's places in HdrHistogram's counters plus 1, two
                                      -- bytes each with the highest first; 0: none. NULL: no cells
      PRIMARY KEY (session, started_ns, loop, number)
    ) STRICT;

    CREATE TABLE timer_windows (
      -- How a timer's ledger grew in one window of time, if in it a due time was dropped, or a callout came later than the
      -- timer's tolerance and 1 ms. What a ledger has beyond its windows came on time.
      -- No reference to timers is declared, for the same reason.
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      started_ns INTEGER NOT NULL,    -- the window's start
      timer INTEGER NOT NULL,
      number INTEGER NOT NULL,        -- 1, 2, 3 … within the session, in the order of being written
      length_ns INTEGER NOT NULL,
      fired INTEGER NOT NULL,         -- due times that a callout served
      dropped INTEGER NOT NULL,       -- due times that none served
      lateness_count INTEGER NOT NULL, -- how late its callouts began: how many,
      lateness_total_ns INTEGER NOT NULL, -- their sum,
      lateness_max_ns INTEGER NOT NULL, -- the worst: exact in the window of the timer's worst, elsewhere within 0.8 %,
      histogram BLOB,                 -- and all of them, encoded as in metric_windows; NULL: none
      PRIMARY KEY (session, started_ns, timer, number)
    ) STRICT, WITHOUT ROWID;

    """

  private static let views = """
    DROP VIEW drift_by_minute;

    CREATE VIEW drift_by_minute AS
      -- How late a loop and the GCD timer beside it were, by minutes of the session. A window that is longer than a minute
      -- counts in its first.
      WITH parts AS (
        SELECT session, loop, started_ns, ticks, run_loop_count, run_loop_total_ns, run_loop_max_ns, gcd_count, gcd_total_ns,
          gcd_max_ns
        FROM tick_windows
        UNION ALL
        SELECT session, loop, due_ns, 1, run_loop_lateness_ns IS NOT NULL, run_loop_lateness_ns, run_loop_lateness_ns,
          gcd_lateness_ns IS NOT NULL, gcd_lateness_ns, gcd_lateness_ns
        FROM ticks WHERE machine_ns IS NULL)
      SELECT parts.session, loops.name AS loop, (parts.started_ns - sessions.started_ns) / 60000000000 AS minute,
        sum(ticks) AS ticks, sum(ticks) - sum(run_loop_count) AS dropped,
        total(run_loop_total_ns) / 1e6 / nullif(sum(run_loop_count), 0) AS run_loop_ms,
        total(gcd_total_ns) / 1e6 / nullif(sum(gcd_count), 0) AS gcd_ms,
        max(CASE WHEN run_loop_count > 0 THEN run_loop_max_ns END) / 1e6 AS worst_run_loop_ms,
        max(CASE WHEN gcd_count > 0 THEN gcd_max_ns END) / 1e6 AS worst_gcd_ms
      FROM parts
      JOIN sessions ON sessions.id = parts.session
      JOIN loops ON loops.id = parts.loop
      GROUP BY loops.id, minute;

    CREATE VIEW lateness_by_minute AS
      -- How late timers were, by those minutes of the session in which something was dropped or later than allowed, with
      -- the histograms that percentiles need. A window that is longer than a minute counts in its first.
      SELECT timer_windows.session, loops.name AS loop, timers.id AS timer, timers.name,
        (timer_windows.started_ns - sessions.started_ns) / 60000000000 AS minute,
        strftime('%Y-%m-%dT%H:%M:%fZ', (sessions.started_at + min(timer_windows.started_ns) - sessions.started_ns) / 1e9,
          'unixepoch') AS at,
        max(length_ns) / 1e9 AS length_s, sum(timer_windows.fired) AS fired, sum(timer_windows.dropped) AS dropped,
        total(timer_windows.lateness_total_ns) / 1e6 / nullif(sum(timer_windows.lateness_count), 0) AS mean_lateness_ms,
        max(timer_windows.lateness_max_ns) / 1e6 AS worst_ms, json_group_array(hex(histogram)) AS histograms
      FROM timer_windows
      JOIN sessions ON sessions.id = timer_windows.session
      JOIN timers ON timers.id = timer_windows.timer
      LEFT JOIN loops ON loops.id = timers.loop
      GROUP BY timers.id, minute;
    """
}
