import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The timers of a session by lane and name.
struct SessionTimers {
  private struct Key: Hashable {
    var lane: String
    var timer: String
  }

  private var rows: [Key: TimerRow] = [:]
  /// The most rows of a session. Timers that do not fit count with those that have no name.
  private static let mostRows = 10_000

  /// Reads them. Throws what reading throws.
  init(
    _ origin: RowOrigin, _ session: StoredSession, in store: StoreReader, stacks: StackReader<StoreReader>,
    lanes: [Int64: StoredLoop], version: UInt64
  ) throws {
    let folding = TimerFolding(contents: store, stacks: stacks)
    let at = UInt32(clamping: session.record.startedAt / Nanoseconds.second)
    try folding.forEachSite(of: session) { timer, _ in
      var key = Key(
        lane: timer.loop.flatMap { lanes[$0]?.record.name } ?? "",
        timer: try folding.title(of: timer.record, session: session.id))
      if rows[key] == nil, rows.count >= Self.mostRows { key = Key(lane: "", timer: "other timers") }
      var row =
        rows[key] ?? TimerRow(origin: origin, at: at, laneName: key.lane, timer: key.timer, version: version)
      row.due = row.due.saturatingAdd(timer.due)
      row.fired = row.fired.saturatingAdd(timer.ledger.fired)
      row.dropped = row.dropped.saturatingAdd(timer.ledger.dropped)
      if let lateness = timer.lateness { row.lateness.add(lateness.histogram) }
      rows[key] = row
    }
  }

  /// In the order of their keys.
  var all: [TimerRow] { rows.values.sorted { ($0.laneName, $0.timer) < ($1.laneName, $1.timer) } }
}
