extension Migration {
  /// Sessions, loops, modes, profiles, stalls, intervals, losses and the monitor's health.
  ///
  /// The comments stand inside the statements, so that SQLite keeps them in the file for readers of its schema.
  static var version1: Migration { Migration(version: 1, sql: tables + indexes + views) }

  private static let tables = """
    CREATE TABLE sessions (
      -- One watched process, from the start of the monitor to its stop or the process's death.
      -- Columns that end in _ns are nanoseconds. Moments are on the monotonic clock of the boot named by boot_id.
      id INTEGER PRIMARY KEY,
      pid INTEGER NOT NULL,
      process_start INTEGER NOT NULL, -- start of the process: clock ticks since boot (Linux), microseconds since 1970 (Apple)
      boot_id TEXT NOT NULL,
      host TEXT NOT NULL,
      command TEXT NOT NULL,          -- JSON array, program first
      started_at INTEGER NOT NULL,    -- wall clock, nanoseconds since 1970-01-01 UTC
      started_ns INTEGER NOT NULL,    -- the same moment on the monotonic clock
      threshold_ns INTEGER NOT NULL,  -- a span of at least this is a stall
      window_ns INTEGER NOT NULL,     -- length of the windows in mode_windows and profile_windows
      origin TEXT NOT NULL,           -- embedded, injected
      platform TEXT NOT NULL,         -- for example linux x86_64
      ended TEXT NOT NULL DEFAULT 'running', -- running (or died, and no writer has come by since), clean, killed
      exit_status INTEGER,            -- as seen by stallwatch record: 128 + n for a signal
      last_seen_ns INTEGER NOT NULL,  -- last moment at which the monitor was known to be alive
      trouble TEXT                    -- what kept the writer from its work, in words
    ) STRICT;

    CREATE TABLE loops (
      -- A watched run loop.
      id INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,        -- 1, 2, 3 … within the session
      name TEXT NOT NULL,
      thread_id INTEGER NOT NULL,     -- the operating system's
      is_main INTEGER NOT NULL,
      started_ns INTEGER NOT NULL,
      ended_ns INTEGER,               -- NULL: lasted as long as the session
      outside_ns INTEGER NOT NULL DEFAULT 0, -- time between the end of one run and the start of the next
      activities INTEGER NOT NULL DEFAULT 0, -- activities observed
      UNIQUE (session, number)
    ) STRICT;

    CREATE TABLE modes (
      -- A mode of a loop.
      id INTEGER PRIMARY KEY,
      loop INTEGER NOT NULL REFERENCES loops (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,        -- 0, 1, 2 … within the loop
      name TEXT NOT NULL,             -- CF's, for example kCFRunLoopDefaultMode
      attached_ns INTEGER NOT NULL,   -- when observers were attached to it
      UNIQUE (loop, number)
    ) STRICT;

    CREATE TABLE mode_windows (
      -- What a mode did in one window of time. A mode's totals are the sums over its windows.
      id INTEGER PRIMARY KEY,
      mode INTEGER NOT NULL REFERENCES modes (id) ON DELETE CASCADE,
      started_ns INTEGER NOT NULL,    -- the window's start
      entries INTEGER NOT NULL,       -- runs entered
      iterations INTEGER NOT NULL,    -- iterations begun
      starved_ns INTEGER NOT NULL,    -- time for which the mode's own sources could not run because a nested mode ran
      UNIQUE (mode, started_ns)
    ) STRICT;

    CREATE TABLE profile_windows (
      -- The durations of one metric of a mode in one window of time.
      id INTEGER PRIMARY KEY,
      mode INTEGER NOT NULL REFERENCES modes (id) ON DELETE CASCADE,
      metric TEXT NOT NULL,           -- prepare, sources, waiting, service, span, gap
      started_ns INTEGER NOT NULL,    -- the window's start
      count INTEGER NOT NULL,         -- samples, exact
      total_ns INTEGER NOT NULL,      -- their sum, exact
      max_ns INTEGER NOT NULL,        -- the longest: exact in the window of the mode's longest, elsewhere within 0.8 %
      histogram BLOB NOT NULL,        -- HdrHistogram's V2 encoding, not compressed, of nanoseconds
      UNIQUE (mode, metric, started_ns)
    ) STRICT;

    CREATE TABLE stalls (
      -- A loop was held for the session's threshold or longer. The row is written when that is known,
      -- and completed when the stall is over.
      id INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,        -- 1, 2, 3 … within the session
      loop INTEGER NOT NULL REFERENCES loops (id) ON DELETE CASCADE,
      mode INTEGER NOT NULL REFERENCES modes (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,             -- stall (one span), congestion (a busy run without such a span)
      state TEXT NOT NULL,            -- began (still going on, or the process died in it), ended, cancelled, fatal
      severity TEXT,                  -- brief, long, microhang, hang, severe; NULL while it goes on
      phase TEXT NOT NULL,            -- prepare, sources, waiting, service
      depth INTEGER NOT NULL,         -- runs active one inside the other; 1 is not nested
      started_ns INTEGER NOT NULL,
      detected_ns INTEGER NOT NULL,   -- when it was known
      duration_ns INTEGER,            -- exact when ended; until the last sign of life when fatal; NULL while it goes on
      reason TEXT,                    -- why it was cancelled
      annotations TEXT,               -- JSON object: what the program said about itself; NULL when nothing
      UNIQUE (session, number)
    ) STRICT;

    CREATE TABLE intervals (
      -- Time that no figure may silently cover.
      id INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      loop INTEGER REFERENCES loops (id) ON DELETE CASCADE, -- NULL: the whole process
      kind TEXT NOT NULL,             -- excluded (nobody ran), blind (the monitor could not see)
      started_ns INTEGER NOT NULL,
      ended_ns INTEGER NOT NULL,
      duration_ns INTEGER NOT NULL,   -- longer than ended - started when the machine slept
      reason TEXT NOT NULL            -- stopped, machine-sleep, new-mode, queue-full, starved-monitor
    ) STRICT;

    CREATE TABLE losses (
      -- Records that did not fit, added up.
      id INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      loop INTEGER REFERENCES loops (id) ON DELETE CASCADE, -- NULL: no loop in particular
      what TEXT NOT NULL,             -- the buffer: spans, records, modes, activations, loops
      count INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE health (
      -- What a session's monitor cost and how well it kept time, from the session's start.
      session INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
      at_ns INTEGER NOT NULL,         -- when it was read
      observer_total_ns INTEGER NOT NULL, -- time spent in observers on watched threads
      monitor_cpu_ns INTEGER NOT NULL,    -- CPU time of the monitor's own threads
      wakeups INTEGER NOT NULL,           -- of the watchdog
      lateness_count INTEGER,         -- how late the watchdog's timed sleeps ended: samples,
      lateness_total_ns INTEGER,      -- their sum,
      lateness_max_ns INTEGER,        -- the longest,
      lateness_histogram BLOB         -- and all of them, encoded as in profile_windows
    ) STRICT;

    """

  private static let indexes = """
    -- Stalls in the order of their start.
    CREATE INDEX stalls_by_start ON stalls (session, started_ns);
    -- Totals by loop, kind, state and severity, read from the index alone.
    CREATE INDEX stalls_by_sort ON stalls (loop, kind, state, severity, duration_ns);
    -- The worst stalls.
    CREATE INDEX stalls_by_duration ON stalls (duration_ns DESC) WHERE state IN ('ended', 'fatal');
    -- The few that are not over.
    CREATE INDEX stalls_open ON stalls (session) WHERE state = 'began';
    CREATE INDEX intervals_by_start ON intervals (session, started_ns);
    CREATE UNIQUE INDEX losses_by_buffer ON losses (session, what, ifnull(loop, 0));

    """

  private static let views = """
    CREATE VIEW stall_list AS
      -- Stalls with names and milliseconds. A stall whose process died in it is shown as began until a writer comes by.
      SELECT stalls.id, stalls.session, loops.name AS loop, modes.name AS mode, kind, state, severity, phase, depth,
        (stalls.started_ns - sessions.started_ns) / 1e9 AS at_s, duration_ns / 1e6 AS duration_ms,
        (detected_ns - stalls.started_ns) / 1e6 AS detected_after_ms, reason, annotations
      FROM stalls
      JOIN sessions ON sessions.id = stalls.session
      JOIN loops ON loops.id = stalls.loop
      JOIN modes ON modes.id = stalls.mode;

    CREATE VIEW session_list AS
      -- Sessions with their length and what happened in them.
      SELECT id, pid, host, command, strftime('%Y-%m-%dT%H:%M:%SZ', started_at / 1000000000, 'unixepoch') AS started,
        (last_seen_ns - started_ns) / 1e9 AS duration_s, ended, exit_status,
        (SELECT count(*) FROM loops WHERE loops.session = sessions.id) AS loops,
        (SELECT count(*) FROM stalls WHERE stalls.session = sessions.id AND state <> 'cancelled') AS stalls,
        (SELECT max(duration_ns) / 1e6 FROM stalls WHERE stalls.session = sessions.id AND state <> 'cancelled') AS worst_ms,
        (SELECT coalesce(sum(count), 0) FROM losses WHERE losses.session = sessions.id) AS losses, trouble
      FROM sessions;

    CREATE VIEW mode_profile AS
      -- Each metric of each mode, added up over all windows.
      SELECT loops.session, loops.name AS loop, modes.name AS mode, metric, sum(count) AS count,
        sum(total_ns) / 1e6 AS total_ms, sum(total_ns) / 1e6 / max(sum(count), 1) AS mean_ms, max(max_ns) / 1e6 AS max_ms
      FROM profile_windows
      JOIN modes ON modes.id = profile_windows.mode
      JOIN loops ON loops.id = modes.loop
      GROUP BY modes.id, metric;
    """
}
