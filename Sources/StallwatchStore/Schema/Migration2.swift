extension Migration {
  /// What held the loop: samples of stalls with their stacks and causes, profiles by stack, and the images that name
  /// addresses.
  ///
  /// Columns added to a table carry comments of the other form: SQLite drops those that follow such a column.
  static var version2: Migration { Migration(version: 2, sql: causes + tables + indexes + views) }

  private static let causes = """
    ALTER TABLE stalls ADD COLUMN running_ns INTEGER /* watched time on a processor; NULL: not known */ DEFAULT NULL;
    ALTER TABLE stalls ADD COLUMN blocked_ns INTEGER /* in the kernel, not runnable */ DEFAULT NULL;
    ALTER TABLE stalls ADD COLUMN starved_ns INTEGER /* runnable, without a processor */ DEFAULT NULL;

    """

  private static let tables = """
    CREATE TABLE images (
      -- An executable or library as it was mapped when addresses were sampled. Where two overlap, the later one took
      -- the place of the earlier.
      -- Addresses have 64 bits: those from 2^63 on are stored as address - 2^64, and are below 0.
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,        -- 0, 1, 2 … within the session, in the order of being seen
      path TEXT NOT NULL,
      build_id TEXT,                  -- GNU build-id (LC_UUID on Apple's systems), lower-case hexadecimal; NULL: none
      base_address INTEGER NOT NULL,  -- where the image's own address 0 lies (the load bias)
      start_address INTEGER NOT NULL, -- the first address of its executable part
      end_address INTEGER NOT NULL,   -- the address after its last executable one
      PRIMARY KEY (session, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE stacks (
      -- A stack that was sampled, once a session.
      -- frames: program counters, leaf first, without a count: the bytes end behind the last. Each is told by its
      -- difference, modulo 2^64, from the one before it (the first from 0) as an integer of variable length: ZigZag,
      -- then seven bits a byte, low bits first, the eighth set when more follow; a ninth byte holds eight bits and is
      -- the last.
      id INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      hash INTEGER NOT NULL,          -- FNV-1a of 64 bits over frames, to find a stack by
      frames BLOB NOT NULL            -- empty: the stack could not be read
    ) STRICT;

    CREATE TABLE samples (
      -- One look at a held thread. A stall has at most 64, and their weights add up to the time that was watched.
      stall INTEGER NOT NULL REFERENCES stalls (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,        -- 0, 1, 2 … within the stall, in the order of time
      at_ns INTEGER NOT NULL,
      weight_ns INTEGER NOT NULL,     -- the watched time that it stands for
      activity TEXT NOT NULL,         -- running (on a processor), blocked (in the kernel), starved (waiting for one)
      stack INTEGER NOT NULL REFERENCES stacks (id) ON DELETE CASCADE,
      blocked_on TEXT,                -- the system call; NULL: not blocked, or not known
      target TEXT,                    -- what is behind it: a file's path, a socket's peer, pipe, futex; NULL: not known
      owner_thread_id INTEGER,        -- the thread that held the lock; NULL: not known
      owner_name TEXT,
      owner_stack INTEGER REFERENCES stacks (id) ON DELETE CASCADE,
      PRIMARY KEY (stall, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE profile_stacks (
      -- What a loop did while it was busy: how often each stack was seen, from the session's start.
      loop INTEGER NOT NULL REFERENCES loops (id) ON DELETE CASCADE,
      stack INTEGER NOT NULL REFERENCES stacks (id) ON DELETE CASCADE,
      count INTEGER NOT NULL,         -- samples
      weight_ns INTEGER NOT NULL,     -- the busy time that they stand for
      PRIMARY KEY (loop, stack)
    ) STRICT, WITHOUT ROWID;

    """

  private static let indexes = """
    -- Whether a stack is known. There are no two alike in a session: its one writer sees to that.
    CREATE INDEX stacks_by_hash ON stacks (session, hash);
    -- Where a stack was seen; without them, deleting a session would search all samples for each of its stacks.
    CREATE INDEX samples_by_stack ON samples (stack);
    CREATE INDEX samples_by_owner_stack ON samples (owner_stack) WHERE owner_stack IS NOT NULL;
    CREATE INDEX profile_stacks_by_stack ON profile_stacks (stack);

    """

  private static let views = """
    CREATE VIEW sampled_stalls AS
      -- Stalls that were sampled: shares of the watched time, and the system call and target that took most of it.
      SELECT id, session, loop, mode, state, duration_ms,
        (SELECT count(*) FROM samples WHERE stall = stall_list.id) AS samples, watched_ns / 1e6 AS watched_ms,
        running_ns / nullif(watched_ns, 0.0) AS running, blocked_ns / nullif(watched_ns, 0.0) AS blocked,
        starved_ns / nullif(watched_ns, 0.0) AS starved,
        (SELECT blocked_on FROM samples WHERE stall = stall_list.id AND blocked_on IS NOT NULL
          GROUP BY blocked_on, target ORDER BY sum(weight_ns * 1.0) DESC, blocked_on, target LIMIT 1) AS blocked_on,
        (SELECT target FROM samples WHERE stall = stall_list.id AND blocked_on IS NOT NULL
          GROUP BY blocked_on, target ORDER BY sum(weight_ns * 1.0) DESC, blocked_on, target LIMIT 1) AS target
      FROM stall_list
      JOIN (
        SELECT id AS stall, running_ns, blocked_ns, starved_ns, 1.0 * running_ns + blocked_ns + starved_ns AS watched_ns
        FROM stalls
      ) ON stall = id
      WHERE EXISTS (SELECT 1 FROM samples WHERE stall = stall_list.id);

    CREATE VIEW sample_list AS
      -- Samples with names and milliseconds from the start of their stall.
      SELECT samples.stall, samples.number, stall_list.loop, (at_ns - stalls.started_ns) / 1e6 AS at_ms,
        weight_ns / 1e6 AS weight_ms, activity, blocked_on, target, owner_name AS owner, stack, owner_stack
      FROM samples
      JOIN stalls ON stalls.id = samples.stall
      JOIN stall_list ON stall_list.id = samples.stall;

    CREATE VIEW blocked_on_list AS
      -- What stalls were blocked on, added up over all of a session.
      SELECT session, blocked_on, target, count(DISTINCT stall) AS stalls, sum(weight_ns * 1.0) / 1e6 AS blocked_ms
      FROM samples
      JOIN stalls ON stalls.id = samples.stall
      WHERE blocked_on IS NOT NULL AND state <> 'cancelled'
      GROUP BY session, blocked_on, target;
    """
}
