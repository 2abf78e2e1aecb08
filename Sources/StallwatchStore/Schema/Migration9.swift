extension Migration {
  /// Names of the addresses that were seen, so that a store can be read without the files that it was recorded from.
  static var version9: Migration { Migration(version: 9, sql: tables + frames + views + sessions) }

  /// The sessions as before, but for the count of losses.
  private static let sessions = """
    DROP VIEW session_list;
    CREATE VIEW session_list AS
      -- Sessions with their length and what happened in them. A look that yielded no stack is no loss.
      SELECT id, pid, host, command, strftime('%Y-%m-%dT%H:%M:%SZ', started_at / 1000000000, 'unixepoch') AS started,
        (last_seen_ns - started_ns) / 1e9 AS duration_s, ended, exit_status,
        (SELECT count(*) FROM loops WHERE loops.session = sessions.id) AS loops,
        (SELECT count(*) FROM stalls WHERE stalls.session = sessions.id AND state <> 'cancelled') AS stalls,
        (SELECT max(duration_ns) / 1e6 FROM stalls WHERE stalls.session = sessions.id AND state <> 'cancelled') AS worst_ms,
        (SELECT coalesce(sum(count), 0) FROM losses WHERE losses.session = sessions.id AND what <> 'looks') AS losses, trouble
      FROM sessions;

    """

  private static let tables = """
    CREATE TABLE named_images (
      -- An image whose addresses have names, once for each amount that a file with its build-id said about them.
      id INTEGER PRIMARY KEY,
      build_id TEXT NOT NULL,         -- as in images
      wealth TEXT NOT NULL,           -- what the file had: exports (at most exported names), names (of all functions),
                                      -- lines (also source lines and inlined calls)
      UNIQUE (build_id, wealth)
    ) STRICT;

    CREATE TABLE texts (
      -- Names of functions and modules, and paths of source files, each once.
      id INTEGER PRIMARY KEY,
      text TEXT NOT NULL
    ) STRICT;

    CREATE TABLE names (
      -- The functions at an address of an image. Several where the compiler inlined some: depth 0 is the innermost, the
      -- last is the one that was compiled. One row without a function where the file knows none.
      -- No reference to texts is declared: to remove a text, SQLite would search all names for it.
      image INTEGER NOT NULL REFERENCES named_images (id) ON DELETE CASCADE,
      offset INTEGER NOT NULL,        -- of the byte that was looked up, from the image's own address 0: where a thread
                                      -- stood, or the byte before a return address
      depth INTEGER NOT NULL,
      function INTEGER,               -- its text, in source form; NULL: not known
      module INTEGER,                 -- the text of its Swift module; NULL: another language's
      file INTEGER,                   -- the text of its source file's path; NULL: not known
      line INTEGER,                   -- NULL: not known, or none
      traits INTEGER NOT NULL,        -- the sum of 1: the system's own code; 2: glue that the compiler made; 4: no source
                                      -- says that it is another package's
      PRIMARY KEY (image, offset, depth)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE stack_functions (
      -- The function that a stack stands for: the program's own innermost one, as reports name it; without one, the
      -- innermost of others.
      stack INTEGER PRIMARY KEY REFERENCES stacks (id) ON DELETE CASCADE,
      function INTEGER NOT NULL,      -- its text
      file INTEGER,                   -- the text of its source file's path; NULL: not known
      line INTEGER,                   -- where it stood, or called others; NULL: not known
      leaf INTEGER                    -- the text of the function in which the thread stood; NULL: not known
    ) STRICT;

    """

  /// A number's byte is the value of two hexadecimal digits: SQLite has no function that reads it.
  private static let firstByte = byte("1")
  private static let nextByte = byte("place + 2")

  private static func byte(_ position: String) -> String {
    let digits = "hex(substr(frames, \(position), 1))"
    return """
      (instr('123456789ABCDEF', substr(\(digits), 1, 1)) << 4) + instr('123456789ABCDEF', substr(\(digits), 2, 1))
      """
  }

  private static let frames = """
    CREATE VIEW stack_frames AS
      -- The functions of every stack, leaf first. A stack's bytes are read one after the other: each row of bytes is one,
      -- with what came before it.
      WITH RECURSIVE
        bytes (stack, place, byte, number, shift, bits, address) AS (
          SELECT id, 0, \(firstByte), 0, 0, 0, 0 FROM stacks WHERE length(frames) > 0
          UNION ALL
          SELECT stack, place + 1, \(nextByte),
            CASE WHEN byte < 128 OR shift = 56 THEN number + 1 ELSE number END,
            CASE WHEN byte < 128 OR shift = 56 THEN 0 ELSE shift + 7 END,
            CASE WHEN byte < 128 OR shift = 56 THEN 0 ELSE bits | ((byte & 127) << shift) END,
            CASE WHEN byte < 128 OR shift = 56
              THEN address + CASE (bits | (byte << shift)) & 1
                WHEN 0 THEN ((bits | (byte << shift)) >> 1) & 9223372036854775807
                ELSE ~(((bits | (byte << shift)) >> 1) & 9223372036854775807) END
              ELSE address END
          FROM bytes JOIN stacks ON stacks.id = stack WHERE place < length(frames)),
        -- A row in which a frame has just ended. A return address belongs to the call before it.
        addresses (stack, session, number, address, sought) AS (
          SELECT stack, session, number - 1, address, CASE WHEN number = 1 THEN address ELSE address - 1 END
          FROM bytes JOIN stacks ON stacks.id = stack WHERE shift = 0 AND number > 0)
      SELECT addresses.stack, addresses.session, addresses.number, ifnull(depth, 0) AS depth, address, path AS image,
        functions.text AS function, files.text AS file, line
      FROM addresses
      LEFT JOIN images ON images.session = addresses.session AND sought >= start_address AND sought < end_address
      LEFT JOIN (names JOIN named_images ON named_images.id = names.image)
        ON named_images.build_id = images.build_id AND offset = sought - base_address
      LEFT JOIN texts AS functions ON functions.id = function
      LEFT JOIN texts AS files ON files.id = file
      ORDER BY addresses.stack, addresses.number, depth;

    """

  private static let views = """
    CREATE VIEW function_times AS
      -- Every look at a held loop: when it was, in UTC, the function that it found, and the time that it stands for.
      SELECT strftime('%Y-%m-%dT%H:%M:%fZ', (sessions.started_at + at_ns - sessions.started_ns) / 1e9, 'unixepoch') AS at,
        stalls.session, loops.name AS loop, is_main, stall, samples.stack, functions.text AS function, files.text AS file, line,
        leaves.text AS leaf, activity, blocked_on, target, weight_ns / 1e6 AS weight_ms
      FROM samples
      JOIN stalls ON stalls.id = samples.stall
      JOIN sessions ON sessions.id = stalls.session
      JOIN loops ON loops.id = stalls.loop
      LEFT JOIN stack_functions ON stack_functions.stack = samples.stack
      LEFT JOIN texts AS functions ON functions.id = stack_functions.function
      LEFT JOIN texts AS files ON files.id = stack_functions.file
      LEFT JOIN texts AS leaves ON leaves.id = stack_functions.leaf
      WHERE state <> 'cancelled';

    CREATE VIEW stall_functions AS
      -- Stalls that were sampled, with the function that took most of each, and the line at which it mostly stood.
      SELECT stall_times.id, stall_times.session, stall_times.loop, is_main, kind, state, began_at, ended_at, duration_ms,
        function, file, line, max(function_ms) AS function_ms
      FROM (
        SELECT stall, is_main, function, file, line, sum(line_ms) AS function_ms, max(line_ms)
        FROM (
          SELECT stall, is_main, function, file, line, sum(weight_ms) AS line_ms
          FROM function_times GROUP BY stall, function, file, line)
        GROUP BY stall, function, file)
      JOIN stall_times ON stall_times.id = stall
      GROUP BY stall_times.id;

    CREATE VIEW profile_functions AS
      -- What loops did while they were busy, by function, in recordings with a profile.
      SELECT loops.session, loops.name AS loop, is_main, functions.text AS function, files.text AS file, line,
        leaves.text AS leaf, count, weight_ns / 1e6 AS busy_ms
      FROM profile_stacks
      JOIN loops ON loops.id = profile_stacks.loop
      LEFT JOIN stack_functions ON stack_functions.stack = profile_stacks.stack
      LEFT JOIN texts AS functions ON functions.id = stack_functions.function
      LEFT JOIN texts AS files ON files.id = stack_functions.file
      LEFT JOIN texts AS leaves ON leaves.id = stack_functions.leaf;
    """
}
