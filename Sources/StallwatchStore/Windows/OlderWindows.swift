/// The windows of a store of version 1 to 4, as the tables of version 5 have them: their time windows have no cells.
enum OlderWindows {
  /// Selects the rows of `time_windows`, all with the number 0: no two of a mode begin at once. With `session`, the SQL
  /// of a session's row, those of that session.
  static func timeWindows(ofSession session: String? = nil) -> String {
    let ofSession =
      session.map {
        "WHERE mode IN (SELECT modes.id FROM modes JOIN loops ON loops.id = modes.loop WHERE loops.session = \($0))"
      } ?? ""
    return """
      SELECT loops.session AS session, windows.started_ns AS started_ns, mode, 0 AS number,
          sessions.window_ns AS length_ns, sum(entries) AS entries, sum(iterations) AS iterations,
          sum(starved_ns) AS starved_ns, sum(busy_ns) AS busy_ns, sum(waiting_ns) AS waiting_ns, 0 AS outside_ns,
          max(longest_ns) AS longest_ns, NULL AS cell_ns, NULL AS cells
        FROM (
          SELECT mode, started_ns, entries, iterations, starved_ns, 0 AS busy_ns, 0 AS waiting_ns, 0 AS longest_ns
          FROM mode_windows \(ofSession)
          UNION ALL
          SELECT mode, started_ns, 0, 0, 0,
            CASE WHEN metric IN ('prepare', 'sources', 'service') THEN total_ns ELSE 0 END,
            CASE WHEN metric = 'waiting' THEN total_ns ELSE 0 END, CASE WHEN metric = 'span' THEN max_ns ELSE 0 END
          FROM profile_windows \(ofSession)
        ) AS windows
        JOIN modes ON modes.id = windows.mode
        JOIN loops ON loops.id = modes.loop
        JOIN sessions ON sessions.id = loops.session
        GROUP BY mode, windows.started_ns
      """
  }

  /// Selects the rows of `metric_windows`, in the same way.
  static func metricWindows(ofSession session: String? = nil) -> String {
    """
    SELECT loops.session AS session, profile_windows.started_ns AS started_ns, mode, metric, 0 AS number,
        sessions.window_ns AS length_ns, count, total_ns, max_ns, histogram
      FROM profile_windows
      JOIN modes ON modes.id = profile_windows.mode
      JOIN loops ON loops.id = modes.loop
      JOIN sessions ON sessions.id = loops.session
      \(session.map { "WHERE sessions.id = \($0)" } ?? "")
    """
  }

  /// Selects the rows of `ticks`, in the same way.
  static func ticks(ofSession session: String? = nil) -> String {
    """
    SELECT loops.session AS session, drift_ticks.number AS number, loop, due_ns, run_loop_lateness_ns, gcd_lateness_ns,
        in_other_modes_ns
      FROM drift_ticks JOIN loops ON loops.id = drift_ticks.loop
      \(session.map { "WHERE loops.session = \($0)" } ?? "")
    """
  }
}
