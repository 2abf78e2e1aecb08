/// The questions asked of many stalls. Each has an index of its own.
enum StallQueries {
  /// How many of each sort are over, and how long they were.
  static let totals = """
    SELECT loop, kind, state, severity, count(*) AS count, sum(duration_ns) AS total_ns FROM stalls
    WHERE state <> 'began' GROUP BY loop, kind, state, severity
    """

  /// Those that are not over, or whose process died in them.
  static let open = StoredStall.selection + "WHERE stalls.state = 'began'"

  /// The ?1 longest of those that are over.
  static let longest =
    StoredStall.selection
    + "WHERE stalls.state IN ('ended', 'fatal') ORDER BY stalls.duration_ns DESC, stalls.id LIMIT ?1"

  /// All, session by session, in the order of their start.
  static let byStart = StoredStall.selection + "ORDER BY stalls.session, stalls.started_ns, stalls.id"
}
