import StallwatchCore

/// A session whose rows age.
struct TendedSession {
  let row: Int64
  /// The session's start, on its own clock.
  let origin: Nanoseconds
  /// The present on the session's own clock: for the session being written its last sign of life, for one that is over
  /// the time that has passed on the wall clock since its start.
  var now: Nanoseconds
  /// Whether it is over, so that no rows come any more.
  let isOver: Bool

  /// The sessions that are over, oldest first; at most `limit` of the youngest and as many of the oldest. Others that
  /// run are left to their own writers.
  static func over(
    in connection: Connection, except own: Int64?, wallNow: Nanoseconds, limit: Int
  ) throws(SQLiteFailure) -> [TendedSession] {
    let statement = try connection.prepare(
      """
      SELECT id, started_ns, started_at FROM sessions WHERE id IN (
        SELECT * FROM (SELECT id FROM sessions WHERE ended <> 'running' AND id <> ?1
          ORDER BY started_at, id LIMIT ?2)
        UNION SELECT * FROM (SELECT id FROM sessions WHERE ended <> 'running' AND id <> ?1
          ORDER BY started_at DESC, id DESC LIMIT ?2))
      ORDER BY started_at, id
      """)
    statement.bind(own ?? 0, at: 1)
    statement.bind(Int64(limit), at: 2)
    var sessions: [TendedSession] = []
    while try statement.step() {
      var row = statement.row
      let (id, origin): (Int64, Nanoseconds) = (try row.number(), try row.number())
      let startedAt: Nanoseconds = try row.number()
      sessions.append(
        TendedSession(row: id, origin: origin, now: origin.saturatingAdd(wallNow.since(startedAt)), isOver: true))
    }
    return sessions
  }
}

/// How far a session has come to a level of the ladder.
struct AgingCursor {
  /// Windows that begin before are done.
  var startedNs: Nanoseconds
  /// Of those that begin in the next stretch, those of modes, loops or timers up to this row are done.
  var owner: Int64 = 0
  /// Whether a session that is over has nothing more for this level.
  var isDone = false

  /// The start of the stretch of the level's windows in which `moment` lies.
  static func stretch(of moment: Nanoseconds, _ level: Ladder.Level, origin: Nanoseconds) -> Nanoseconds {
    origin + moment.since(origin) / level.windowLength * level.windowLength
  }
}

/// What a step of aging did.
struct AgingResult {
  /// How many windows are now part of a coarser one.
  var coarsened: Int64 = 0
  /// How many rows were read.
  var read = 0
  /// The end of the last stretch that changed.
  var until: Nanoseconds = 0
}
