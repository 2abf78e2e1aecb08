/// A table whose rows belong to sessions: which columns hold rows of other tables, and which rows are a session's.
struct MergedTable {
  let name: String
  /// The columns that hold row numbers, each with the table they belong to; the table's own `id` is among them.
  let references: [String: String]
  /// The condition that a session's rows meet; `?1` is the session's row.
  let belongsToSession: String

  private static let ofSession = "session = ?1"
  private static let ofLoop = "loop IN (SELECT id FROM loops WHERE session = ?1)"
  private static let ofStall = "stall IN (SELECT id FROM stalls WHERE session = ?1)"
  private static let ofTimer = "timer IN (SELECT id FROM timers WHERE session = ?1)"

  /// All such tables, each after those to which it refers.
  static let all = [
    MergedTable("tags", ofSession, ["session": "sessions"]),
    MergedTable("loops", ofSession, ["session": "sessions"], hasID: true),
    MergedTable("modes", ofLoop, ["loop": "loops"], hasID: true),
    MergedTable("time_windows", ofSession, ["session": "sessions", "mode": "modes"]),
    MergedTable("metric_windows", ofSession, ["session": "sessions", "mode": "modes"]),
    MergedTable("removals", ofSession, ["session": "sessions"], hasID: true),
    MergedTable("stalls", ofSession, ["session": "sessions", "loop": "loops", "mode": "modes"], hasID: true),
    MergedTable("intervals", ofSession, ["session": "sessions", "loop": "loops"], hasID: true),
    MergedTable("losses", ofSession, ["session": "sessions", "loop": "loops"], hasID: true),
    MergedTable("health", ofSession, ["session": "sessions"]),
    MergedTable("images", ofSession, ["session": "sessions"]),
    MergedTable("stacks", ofSession, ["session": "sessions"], hasID: true),
    MergedTable("samples", ofStall, ["stall": "stalls", "stack": "stacks", "owner_stack": "stacks"]),
    MergedTable("profile_stacks", ofLoop, ["loop": "loops", "stack": "stacks"]),
    MergedTable("timers", ofSession, ["session": "sessions", "loop": "loops"], hasID: true),
    MergedTable("timer_drops", ofTimer, ["timer": "timers", "mode": "modes"]),
    MergedTable("stall_timers", ofStall, ["stall": "stalls", "timer": "timers"]),
    MergedTable("ticks", ofSession, ["session": "sessions", "loop": "loops"]),
    MergedTable("tick_windows", ofSession, ["session": "sessions", "loop": "loops"]),
    MergedTable("timer_windows", ofSession, ["session": "sessions", "timer": "timers"]),
  ]
  /// The table of the sessions themselves.
  static let sessions = MergedTable("sessions", "id = ?1", [:], hasID: true)

  /// Where its rows are in a store of `version`; nil when such a store has none.
  func source(version: Int) -> String? {
    if name == "loops", version < 7 { return "(SELECT *, 'run loop' AS lane_kind FROM loops)" }
    if Schema.tables(of: version).contains(name) { return name }
    switch name {
    case "time_windows": return "(\(OlderWindows.timeWindows(ofSession: "?1")))"
    case "metric_windows": return "(\(OlderWindows.metricWindows(ofSession: "?1")))"
    case "ticks":
      // Those of version 4, none of which is in a window.
      return version < 4 ? nil : "(SELECT *, NULL AS machine_ns FROM (\(OlderWindows.ticks(ofSession: "?1"))))"
    default: return nil
    }
  }

  /// Whether the table numbers its rows.
  var hasID: Bool { references["id"] != nil }

  private init(_ name: String, _ belongsToSession: String, _ references: [String: String], hasID: Bool = false) {
    self.name = name
    self.belongsToSession = belongsToSession
    self.references = hasID ? references.merging(["id": name]) { first, _ in first } : references
  }
}
