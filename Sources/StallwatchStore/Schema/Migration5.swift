extension Migration {
  /// Time in fine grain, clustered by session and time so that a recording only ever appends; what was removed; and the
  /// indexes that removing needs.
  static var version5: Migration {
    Migration(version: 5, sql: sessions + tables + takeover + replacement + indexes + views)
  }

  private static let sessions = """
    ALTER TABLE sessions ADD COLUMN closings INTEGER /* how often the live region's figures came in here */
      NOT NULL DEFAULT 0;

    """

  private static let tables = """
    CREATE TABLE time_windows (
      -- What a mode did in one window of time, whole and in cells of equal length. A mode's totals are the sums over its
      -- windows. Two windows may share a cell, each with a part of it.
      -- No reference to modes is declared: to remove a mode, SQLite would search all windows for it.
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      started_ns INTEGER NOT NULL,    -- the window's start
      mode INTEGER NOT NULL,
      number INTEGER NOT NULL,        -- 1, 2, 3 … within the session, in the order of being written
      length_ns INTEGER NOT NULL,
      entries INTEGER NOT NULL,       -- runs entered
      iterations INTEGER NOT NULL,    -- iterations begun
      starved_ns INTEGER NOT NULL,    -- time for which the mode's own sources could not run because a nested mode ran
      busy_ns INTEGER NOT NULL,       -- time in spans
      waiting_ns INTEGER NOT NULL,    -- time in which the loop waited in the mode
      outside_ns INTEGER NOT NULL,    -- time outside any run after one in the mode
      longest_ns INTEGER NOT NULL,    -- the longest span that ended, or was under way, in the window
      cell_ns INTEGER,                -- the length of a cell; NULL: nothing finer is known, or it is evenly spread
      cells BLOB,                     -- the cells one after the other, numbers with the highest byte first: busy_ns and
                                      -- waiting_ns (4 bytes each), iterations (3), the place of the longest span in
                                      -- HdrHistogram's counters (2), and outside_ns (4) if the window has any
      PRIMARY KEY (session, started_ns, mode, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE metric_windows (
      -- The durations of one metric of a mode in one window of time.
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      started_ns INTEGER NOT NULL,    -- the window's start
      mode INTEGER NOT NULL,
      metric TEXT NOT NULL,           -- prepare, sources, waiting, service, span, gap
      number INTEGER NOT NULL,        -- 1, 2, 3 … within the session, in the order of being written
      length_ns INTEGER NOT NULL,
      count INTEGER NOT NULL,         -- samples, exact
      total_ns INTEGER NOT NULL,      -- their sum, exact
      max_ns INTEGER NOT NULL,        -- the longest: exact in the window of the mode's longest, elsewhere within 0.8 %
      histogram BLOB NOT NULL,        -- HdrHistogram's V2 encoding, not compressed, of nanoseconds
      PRIMARY KEY (session, started_ns, mode, metric, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE removals (
      -- What was removed from a session to keep to the store's limits of age and size. Sessions removed as a whole have
      -- no session.
      id INTEGER PRIMARY KEY,
      session INTEGER REFERENCES sessions (id) ON DELETE CASCADE,
      what TEXT NOT NULL,             -- cells, histograms, samples, ticks, stalls, windows, profiles, sessions
      reason TEXT NOT NULL,           -- age, size
      count INTEGER NOT NULL,         -- how many rows, or windows whose cells became coarser
      until_ns INTEGER,               -- of what was before this moment, on the session's monotonic clock
      removed_at INTEGER NOT NULL     -- wall clock of the last removal, nanoseconds since 1970-01-01 UTC
    ) STRICT;

    CREATE TABLE ticks (
      -- A moment that a loop and a GCD timer were both to serve.
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,        -- on the grid that all loops of a session share
      loop INTEGER NOT NULL,
      due_ns INTEGER NOT NULL,
      run_loop_lateness_ns INTEGER,   -- NULL: dropped
      gcd_lateness_ns INTEGER,        -- NULL: dropped
      in_other_modes_ns INTEGER NOT NULL, -- the part of the loop's lateness spent in modes that the probe is not in
      PRIMARY KEY (session, number, loop)
    ) STRICT, WITHOUT ROWID;

    """

  /// Windows of older stores have no cells. Put together each time, as the views are: a constant that is put together
  /// would stay in memory, and these are 16 KB.
  private static var takeover: String {
    """
    INSERT INTO time_windows
      \(OlderWindows.timeWindows());
    INSERT INTO metric_windows
      \(OlderWindows.metricWindows());
    INSERT INTO ticks
      \(OlderWindows.ticks());

    """
  }

  private static let replacement = """
    DROP VIEW mode_profile;
    DROP VIEW drift_by_minute;
    DROP TABLE mode_windows;
    DROP TABLE profile_windows;
    DROP TABLE drift_ticks;

    """

  private static let indexes = """
    CREATE UNIQUE INDEX removals_by_kind ON removals (session, what, reason);
    -- Without these, removing a loop or a mode would search whole tables.
    CREATE INDEX stalls_by_mode ON stalls (mode);
    CREATE INDEX intervals_by_loop ON intervals (loop) WHERE loop IS NOT NULL;
    CREATE INDEX losses_by_loop ON losses (loop) WHERE loop IS NOT NULL;

    """

  private static var views: String {
    """
    CREATE VIEW mode_profile AS
      -- Each metric of each mode, added up over all windows.
      SELECT loops.session, loops.name AS loop, modes.name AS mode, metric, sum(count) AS count,
        sum(total_ns) / 1e6 AS total_ms, sum(total_ns) / 1e6 / max(sum(count), 1) AS mean_ms, max(max_ns) / 1e6 AS max_ms
      FROM metric_windows
      JOIN modes ON modes.id = metric_windows.mode
      JOIN loops ON loops.id = modes.loop
      GROUP BY modes.id, metric;

    CREATE VIEW span_by_minute AS
      -- The spans of each loop by minutes of its session, with the histograms that percentiles need, one for each mode.
      SELECT loops.session, loops.name AS loop, modes.name AS mode,
        (metric_windows.started_ns - sessions.started_ns) / 60000000000 AS minute,
        \(wallClock("min(metric_windows.started_ns)")) AS at,
        sum(count) AS spans, sum(total_ns) / 1e6 AS total_ms, max(max_ns) / 1e6 AS max_ms,
        json_group_array(hex(histogram)) AS histograms
      FROM metric_windows
      JOIN sessions ON sessions.id = metric_windows.session
      JOIN modes ON modes.id = metric_windows.mode
      JOIN loops ON loops.id = modes.loop
      WHERE metric = 'span'
      GROUP BY modes.id, minute;

    CREATE VIEW time_cells AS
      -- What each mode did in the finest grain that the store has: cells, and windows without cells.
      WITH RECURSIVE places (place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place < 255)
      SELECT session, mode, started_ns + place * cell_ns AS started_ns, cell_ns AS length_ns,
        \(CellEncoding.sql(.busy)) AS busy_ns, \(CellEncoding.sql(.waiting)) AS waiting_ns,
        \(CellEncoding.sql(.outside)) AS outside_ns, \(CellEncoding.sql(.iterations)) AS iterations,
        \(CellEncoding.sql(.longest)) AS longest_ns
      FROM time_windows JOIN places ON place < length_ns / cell_ns
      WHERE cells IS NOT NULL
      UNION ALL
      SELECT session, mode, started_ns, length_ns, busy_ns, waiting_ns, outside_ns, iterations, longest_ns
      FROM time_windows WHERE cells IS NULL;

    CREATE VIEW utilization AS
      -- Each loop by seconds of its session. A stretch of which nothing finer is kept is one row, longer than a second.
      SELECT cells.session, loops.name AS loop, (cells.started_ns - sessions.started_ns) / 1000000000 AS second,
        \(wallClock("min(cells.started_ns)")) AS at, max(cells.length_ns, 1000000000) / 1e9 AS length_s,
        round(1.0 * sum(busy_ns) / nullif(sum(busy_ns) + sum(waiting_ns), 0), 4) AS utilization,
        sum(busy_ns) / 1e6 AS busy_ms, sum(waiting_ns) / 1e6 AS waiting_ms, sum(cells.outside_ns) / 1e6 AS outside_ms,
        sum(iterations) AS iterations, max(longest_ns) / 1e6 AS longest_ms
      FROM time_cells AS cells
      JOIN sessions ON sessions.id = cells.session
      JOIN modes ON modes.id = cells.mode
      JOIN loops ON loops.id = modes.loop
      GROUP BY loops.id, second, max(cells.length_ns, 1000000000);

    CREATE VIEW stall_times AS
      -- Stalls with the wall clock of their beginning and end. The clock is read once, when the session begins.
      SELECT stalls.id, stalls.session, loops.name AS loop, kind, state, severity,
        \(wallClock("stalls.started_ns")) AS began_at,
        \(wallClock("stalls.started_ns + ifnull(stalls.duration_ns, 0)")) AS ended_at,
        duration_ns / 1e6 AS duration_ms
      FROM stalls
      JOIN sessions ON sessions.id = stalls.session
      JOIN loops ON loops.id = stalls.loop;

    CREATE VIEW drift_by_minute AS
      -- How late a loop and the GCD timer beside it were, by minutes of the session.
      SELECT ticks.session, loops.name AS loop, (due_ns - sessions.started_ns) / 60000000000 AS minute,
        count(*) AS ticks, count(*) - count(run_loop_lateness_ns) AS dropped,
        avg(run_loop_lateness_ns) / 1e6 AS run_loop_ms, avg(gcd_lateness_ns) / 1e6 AS gcd_ms,
        max(run_loop_lateness_ns) / 1e6 AS worst_run_loop_ms, max(gcd_lateness_ns) / 1e6 AS worst_gcd_ms
      FROM ticks
      JOIN sessions ON sessions.id = ticks.session
      JOIN loops ON loops.id = ticks.loop
      GROUP BY loops.id, minute;
    """
  }

  /// The wall clock of a moment of the session, to the millisecond, in UTC.
  private static func wallClock(_ moment: String) -> String {
    """
    strftime('%Y-%m-%dT%H:%M:%fZ', (sessions.started_at + \(moment) - sessions.started_ns) / 1e9, 'unixepoch')
    """
  }
}
