import StallwatchCore
import StallwatchStore

/// Builds the timelines of the sessions that were held longest.
struct TimelineBuilder {
  /// How much timelines hold.
  struct Limits {
    /// The most sessions with a timeline.
    var sessions: Int
    /// The most loops in one.
    var lanes: Int
    /// The most slices of a lane, and of all lanes together.
    var slices: Int
    var allSlices: Int
    /// The most excluded and blind intervals in one, longest first.
    var intervals: Int
    /// Whether they show how long loops were held, which takes a pass over all stalls.
    var withStalls: Bool
  }

  let limits: Limits

  /// The timelines, and how many sessions have none because of the limits. Throws what the contents throw.
  /// - Parameters:
  ///   - lanes: Gets the sessions with a timeline, and the rows of their loops.
  ///   - window: Gets every window of these sessions, with the session's row.
  ///   - stall: Gets every stall of the store, if timelines are with stalls, and says whether lanes show it in the time
  ///     that they were held.
  func build(
    _ report: Report, from contents: some StoreContents,
    lanes reportLanes: ([(session: StoredSession, loops: [Int64])]) -> Void = { _ in },
    window: (Int64, StoredWindow) -> Void = { _, _ in }, stall: (StoredStall) -> Bool = { _ in true }
  ) throws -> (timelines: [Timeline], leftOutSessions: Int) {
    let loops = Dictionary(grouping: LoopReport.worstFirst(report.loops), by: \.session)
    let held = loops.mapValues { $0.map(\.stalls.total).saturatingSum() }
    let worstFirst = report.sessions.filter { loops[$0.id] != nil }.sorted {
      (held[$0.id] ?? 0, $1.id) > (held[$1.id] ?? 0, $0.id)
    }
    let chosen = worstFirst.prefix(limits.sessions)
    let lanes = chosen.map { min(loops[$0.id]?.count ?? 0, limits.lanes) }.reduce(0, +)
    let slices = min(limits.slices, limits.allSlices / max(lanes, 1))
    var foldings: [Int64: TimelineFolding] = [:]
    let rows = chosen.map { ($0, (loops[$0.id] ?? []).prefix(limits.lanes).map(\.id)) }
    reportLanes(rows)
    for (session, lanes) in rows {
      var folding = TimelineFolding(session, mostSlices: max(slices, 1), loops: lanes)
      try contents.forEachWindow(session: session.id, withCells: true) {
        folding.add($0)
        window(session.id, $0)
      }
      foldings[session.id] = folding
    }
    if limits.withStalls {
      try contents.forEachStall { if stall($0) { foldings[$0.session]?.add($0) } }
    }
    let timelines = try chosen.compactMap { session -> Timeline? in
      let all = loops[session.id] ?? []
      let lanes = Array(all.prefix(limits.lanes))
      let modes = try lanes.flatMap { try contents.modeNames(loop: $0.id) }
      return foldings[session.id]?.folded(
        loops: lanes, modes: Dictionary(modes, uniquingKeysWith: { first, _ in first }),
        leftOutLoops: all.count - lanes.count, intervals: try intervals(of: session, in: contents))
    }
    return (timelines, worstFirst.count - chosen.count)
  }

  private func intervals(of session: StoredSession, in contents: some StoreContents) throws -> [Timeline.Interval] {
    guard limits.intervals > 0 else { return [] }
    let rows = Dictionary(
      try contents.loops(session: session.id).map { ($0.record.id, $0.id) }, uniquingKeysWith: { first, _ in first })
    let start = session.record.startedNs
    return try contents.health(session: session.id).intervals
      .sorted { $0.duration > $1.duration }.prefix(limits.intervals)
      .map {
        Timeline.Interval(
          kind: $0.kind, reason: $0.reason, loop: $0.loop.flatMap { rows[$0] }, start: $0.startedNs.since(start),
          end: $0.endedNs.since(start))
      }
      .sorted { $0.start < $1.start }
  }
}
