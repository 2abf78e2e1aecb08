import StallwatchCore

/// Removes rows of one kind from a session, the oldest first, some at a time. Call it within a transaction.
///
/// A stall that goes on is never touched.
final class DetailRemoval {
  private let connection: Connection
  private let findSampled: Statement
  private let findStacks: Statement
  private let deleteSamples: Statement
  private let deleteStack: Statement
  private let findStall: Statement
  private let deleteStall: Statement
  private let findProfile: Statement
  private let deleteProfile: Statement
  private let windows: [(find: Statement, delete: Statement)]
  private let findTicks: Statement
  private let deleteTicks: Statement
  /// Called when stacks were removed, whose rows a writer may remember.
  var stacksRemoved: () -> Void = {}

  init(_ connection: Connection) throws(SQLiteFailure) {
    self.connection = connection
    findSampled = try connection.prepare(
      """
      SELECT id, started_ns FROM stalls INDEXED BY stalls_by_start
      WHERE session = ?1 AND started_ns >= ?2 AND started_ns < ?3 AND state <> 'began'
        AND EXISTS (SELECT 1 FROM samples WHERE stall = stalls.id)
      ORDER BY started_ns LIMIT 1
      """)
    findStacks = try connection.prepare(
      "SELECT stack FROM samples WHERE stall = ?1 UNION SELECT owner_stack FROM samples "
        + "WHERE stall = ?1 AND owner_stack IS NOT NULL")
    deleteSamples = try connection.prepare("DELETE FROM samples WHERE stall = ?1")
    deleteStack = try connection.prepare(
      """
      DELETE FROM stacks WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM samples WHERE stack = ?1)
        AND NOT EXISTS (SELECT 1 FROM samples WHERE owner_stack = ?1)
        AND NOT EXISTS (SELECT 1 FROM profile_stacks WHERE stack = ?1)
      """)
    findStall = try connection.prepare(
      """
      SELECT id, started_ns FROM stalls INDEXED BY stalls_by_start
      WHERE session = ?1 AND started_ns < ?2 AND state <> 'began' ORDER BY started_ns LIMIT 1
      """)
    deleteStall = try connection.prepare("DELETE FROM stalls WHERE id = ?1")
    findProfile = try connection.prepare(
      """
      SELECT loop, stack FROM loops CROSS JOIN profile_stacks ON profile_stacks.loop = loops.id
      WHERE session = ?1 LIMIT ?2
      """)
    deleteProfile = try connection.prepare("DELETE FROM profile_stacks WHERE loop = ?1 AND stack = ?2")
    var windows: [(find: Statement, delete: Statement)] = []
    for table in ["time_windows", "metric_windows", "tick_windows", "timer_windows"] {
      windows.append(
        (
          try connection.prepare(
            "SELECT started_ns FROM \(table) WHERE session = ?1 AND started_ns < ?2 ORDER BY started_ns LIMIT 1"),
          try connection.prepare("DELETE FROM \(table) WHERE session = ?1 AND started_ns = ?2")
        ))
    }
    self.windows = windows
    findTicks = try connection.prepare(
      "SELECT number, due_ns FROM ticks WHERE session = ?1 ORDER BY number LIMIT 1 OFFSET ?2")
    deleteTicks = try connection.prepare("DELETE FROM ticks WHERE session = ?1 AND number <= ?2")
  }

  /// What a call removed, and until which moment.
  typealias Count = (rows: Int64, until: Nanoseconds?)

  /// Samples of stalls that began from `cursor` on and before `bound`, with the stacks that nothing else has. Moves the
  /// cursor on.
  func removeSamples(
    of session: Int64, from cursor: inout Nanoseconds, before bound: Nanoseconds, atMost limit: Int
  ) throws(SQLiteFailure) -> Count {
    var done: Count = (0, nil)
    while done.rows < limit {
      findSampled.bind(session, at: 1)
      findSampled.bind(cursor, at: 2)
      findSampled.bind(bound, at: 3)
      guard let (stall, started) = try pair(findSampled) else { break }
      done.rows += try removeSamples(of: stall)
      cursor = Nanoseconds(clamping: started)
      done.until = cursor
    }
    return done
  }

  private func removeSamples(of stall: Int64) throws(SQLiteFailure) -> Int64 {
    findStacks.bind(stall, at: 1)
    let stacks = try column(findStacks)
    deleteSamples.bind(stall, at: 1)
    try deleteSamples.run()
    let count = connection.changes
    for stack in stacks {
      deleteStack.bind(stack, at: 1)
      try deleteStack.run()
    }
    if !stacks.isEmpty { stacksRemoved() }
    return count
  }

  /// Stalls that began before `bound`, with all that belongs to them.
  func removeStalls(of session: Int64, before bound: Nanoseconds, atMost limit: Int) throws(SQLiteFailure) -> Count {
    var done: Count = (0, nil)
    var rows: Int64 = 0
    while rows < limit {
      findStall.bind(session, at: 1)
      findStall.bind(bound, at: 2)
      guard let (stall, started) = try pair(findStall) else { break }
      rows += try removeSamples(of: stall) + 1
      deleteStall.bind(stall, at: 1)
      try deleteStall.run()
      done = (done.rows + 1, Nanoseconds(clamping: started))
    }
    return done
  }

  /// Ticks that were due before `bound`.
  func removeTicks(of session: Int64, before bound: Nanoseconds, atMost limit: Int) throws(SQLiteFailure) -> Count {
    // The grid of ticks is the loops' own, and its numbers grow with time.
    for offset in [limit, limit / 8, 0] {
      findTicks.bind(session, at: 1)
      findTicks.bind(Int64(offset), at: 2)
      guard let (number, due) = try pair(findTicks), due >= 0, Nanoseconds(due) < bound else { continue }
      deleteTicks.bind(session, at: 1)
      deleteTicks.bind(number, at: 2)
      try deleteTicks.run()
      return (connection.changes, Nanoseconds(due))
    }
    return (0, nil)
  }

  /// Windows of time and histograms that began before `bound`.
  func removeWindows(of session: Int64, before bound: Nanoseconds, atMost limit: Int) throws(SQLiteFailure) -> Count {
    var done: Count = (0, nil)
    for (find, delete) in windows {
      while done.rows < limit {
        find.bind(session, at: 1)
        find.bind(bound, at: 2)
        guard let started = try find.firstInteger() else { break }
        delete.bind(session, at: 1)
        delete.bind(started, at: 2)
        try delete.run()
        done = (done.rows + connection.changes, max(done.until ?? 0, Nanoseconds(clamping: started)))
      }
    }
    return done
  }

  /// Stacks of profiles: which is old, nobody knows, because they count from the session's start.
  func removeProfiles(of session: Int64, atMost limit: Int) throws(SQLiteFailure) -> Count {
    findProfile.bind(session, at: 1)
    findProfile.bind(Int64(limit), at: 2)
    var found: [(Int64, Int64)] = []
    while try findProfile.step() {
      var row = findProfile.row
      found.append((try row.number(), try row.number()))
    }
    for (loop, stack) in found {
      deleteProfile.bind(loop, at: 1)
      deleteProfile.bind(stack, at: 2)
      try deleteProfile.run()
      deleteStack.bind(stack, at: 1)
      try deleteStack.run()
    }
    if !found.isEmpty { stacksRemoved() }
    return (Int64(found.count), nil)
  }

  private func pair(_ statement: Statement) throws(SQLiteFailure) -> (Int64, Int64)? {
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    var row = statement.row
    return (try row.number(), try row.number())
  }

  private func column(_ statement: Statement) throws(SQLiteFailure) -> [Int64] {
    var values: [Int64] = []
    while try statement.step() {
      var row = statement.row
      values.append(try row.number())
    }
    return values
  }
}
