/// The questions asked of stalls, to a store of one version. Those asked of many have an index of their own.
struct StallQueries {
  private let selection: String

  /// For a store of that version.
  init(version: Int) { selection = StoredStall.selection(version: version) }

  /// How many of each sort are over, and how long they were: the sum in two halves, because SQLite ends a statement whose
  /// sum passes 2^63.
  static let totals = """
    SELECT loop, kind, state, severity, count(*) AS count, min(duration_ns) AS least_ns,
      sum(duration_ns >> 32) AS high_total_ns, sum(duration_ns & 4294967295) AS low_total_ns FROM stalls
    WHERE state <> 'began' GROUP BY loop, kind, state, severity
    """

  /// Those that are not over, or whose process died in them.
  var open: String { selection + "WHERE stalls.state = 'began'" }

  /// The ?1 longest of those that are over.
  var longest: String {
    selection + "WHERE stalls.state IN ('ended', 'fatal') ORDER BY stalls.duration_ns DESC, stalls.id LIMIT ?1"
  }

  /// The ?1 that were told of last.
  var last: String { selection + "ORDER BY stalls.id DESC LIMIT ?1" }

  /// All, session by session, in the order of their start.
  var byStart: String { selection + Self.inOrderOfStart }

  /// Those of the session ?1, in the order of their start.
  var ofSession: String { selection + "WHERE stalls.session = ?1 ORDER BY stalls.started_ns, stalls.id" }

  /// Those that were sampled, in the same order. A store of version 1 has no samples to ask for.
  var sampled: String {
    selection + "WHERE EXISTS (SELECT 1 FROM samples WHERE samples.stall = stalls.id) " + Self.inOrderOfStart
  }

  /// The one whose row is ?1.
  var one: String { selection + "WHERE stalls.id = ?1" }

  private static let inOrderOfStart = "ORDER BY stalls.session, stalls.started_ns, stalls.id"
}
