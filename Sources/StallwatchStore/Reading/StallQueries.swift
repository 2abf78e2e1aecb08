import StallwatchCore

/// The queries about stalls, for a store of one version. Those over many stalls have an index of their own.
struct StallQueries {
  private let selection: String
  private let version: Int
  /// What stalls must be to be read, in SQL.
  private let condition: String

  /// The queries for a store of `version`, about the stalls that `filter` lets through.
  init(version: Int, filter: StoreFilter = StoreFilter()) {
    self.version = version
    selection = StoredStall.selection(version: version)
    condition = filter.stallCondition
  }

  /// How many stalls of each kind, state and severity are over, and their durations: the sum in two halves, because
  /// SQLite ends a statement whose sum passes 2^63.
  var totals: String {
    """
    SELECT loop, kind, state, severity, count(*) AS count, min(duration_ns) AS least_ns,
      sum(duration_ns >> 32) AS high_total_ns, sum(duration_ns & 4294967295) AS low_total_ns FROM stalls
    WHERE state <> 'began' AND \(condition) GROUP BY loop, kind, state, severity
    """
  }

  /// The stalls that are not over, or whose process died in them.
  var open: String { selection + "WHERE stalls.state = 'began' AND \(condition)" }

  /// The ?1 longest stalls that are over.
  var longest: String {
    selection
      + "WHERE stalls.state IN ('ended', 'fatal') AND \(condition) ORDER BY stalls.duration_ns DESC, stalls.id LIMIT ?1"
  }

  /// The ?1 stalls that became known last.
  var last: String { selection + "WHERE \(condition) ORDER BY stalls.id DESC LIMIT ?1" }

  /// All stalls, session by session, in order of their start.
  var byStart: String { selection + "WHERE \(condition) " + Self.inOrderOfStart }

  /// The stalls of the session ?1, in order of their start.
  var ofSession: String {
    selection + "WHERE stalls.session = ?1 AND \(condition) ORDER BY stalls.started_ns, stalls.id"
  }

  /// The same of those that began at ?2 or later.
  var ofSessionFrom: String {
    selection + "WHERE stalls.session = ?1 AND stalls.started_ns >= ?2 ORDER BY stalls.started_ns, stalls.id"
  }

  /// The samples of the stall ?1, as ``brief`` has them.
  static var looks: String {
    "SELECT weight_ns, activity, stack, \(BlockedOn.columns) FROM samples WHERE stall = ?1 ORDER BY number"
  }

  /// The sampled stalls, in the same order. A store of version 1 has no samples.
  var sampled: String {
    selection + "WHERE EXISTS (SELECT 1 FROM samples WHERE samples.stall = stalls.id) AND \(condition) "
      + Self.inOrderOfStart
  }

  /// When the stalls of the session ?1 held their loops, in order of their start: without congestion and cancelled
  /// ones, and whatever a filter lets through.
  static let holds = """
    SELECT loop, state = 'began' AS is_open, started_ns, duration_ns FROM stalls
    WHERE session = ?1 AND kind = 'stall' AND state <> 'cancelled' ORDER BY started_ns, id
    """

  /// A row for each sample of the stalls, in the same order, with what ``BriefStallReading`` reads.
  var brief: String {
    """
    SELECT stalls.id, stalls.session, state, stalls.started_ns, duration_ns, \(StallCause.columns(version: version)),
      weight_ns, activity, stack, \(BlockedOn.columns)
    FROM stalls JOIN samples ON samples.stall = stalls.id WHERE \(condition) \(Self.inOrderOfStart), samples.number
    """
  }

  /// The stall in the row ?1.
  var one: String { selection + "WHERE stalls.id = ?1 AND \(condition)" }

  private static let inOrderOfStart = "ORDER BY stalls.session, stalls.started_ns, stalls.id"
}
