import StallwatchCore
import StallwatchStore

/// Reads the timers and the drift of a store.
struct TimerFolding<Contents: StoreContents> {
  let contents: Contents
  let stacks: StackReader<Contents>

  /// The timers of all sessions, the most dropped first, then the latest.
  func timers(_ sessions: [StoredSession], loops: [StoredLoop]) throws -> [TimerReport] {
    let names = Dictionary(loops.map { ($0.id, $0.record.name) }, uniquingKeysWith: { first, _ in first })
    var reports: [TimerReport] = []
    for session in sessions {
      for timer in try contents.timers(session: session.id) {
        reports.append(
          TimerReport(
            timer: timer, loopName: timer.loop.flatMap { names[$0] },
            origin: try origin(of: timer.record, session: session.id),
            lateness: timer.lateness.map { DurationSummary($0) } ?? DurationSummary(),
            plot: LatenessPlot.text(timer.lateness)))
      }
    }
    return reports.sorted {
      ($0.timer.ledger.dropped, $0.lateness.maximum ?? 0, $1.timer.id)
        > ($1.timer.ledger.dropped, $1.lateness.maximum ?? 0, $0.timer.id)
    }
  }

  /// What texts call the timer in that row; nil when there is none.
  func title(of timer: Int64, session: Int64) throws -> String? {
    guard let record = try contents.timer(id: timer) else { return nil }
    return try title(of: record, session: session)
  }

  /// What texts call a timer of that session.
  func title(of timer: TimerRecord, session: Int64) throws -> String {
    TimerReport.title(of: timer, origin: try origin(of: timer, session: session))
  }

  private func origin(of timer: TimerRecord, session: Int64) throws -> Frame? {
    guard timer.origin != 0 else { return nil }
    // A return address: the call is before it.
    let frames = try stacks.frames([timer.origin - 1], session: session)
    return frames.first { !$0.isGlue && $0.name != nil } ?? frames.first
  }

  /// The drift of each loop that has ticks, by the loop's row, and of all together.
  func drift(
    _ sessions: [StoredSession], loops: [StoredLoop]
  ) throws -> (all: DriftReport?, loops: [(loop: Int64, report: DriftReport)]) {
    let durations = Dictionary(sessions.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var foldings: [(loop: Int64, folding: DriftFolding)] = []
    for loop in loops {
      guard let session = durations[loop.session] else { continue }
      var folding = DriftFolding()
      try contents.forEachDriftTick(loop: loop.id) {
        folding.add($0, start: session.record.startedNs, duration: session.duration)
      }
      if folding.report != nil { foldings.append((loop.id, folding)) }
    }
    if foldings.contains(where: { $0.folding.hasLateTicks }) {
      let stalls = try stalls(of: Set(foldings.filter { $0.folding.hasLateTicks }.map(\.loop)))
      for place in foldings.indices {
        foldings[place].folding.explain(by: stalls[foldings[place].loop] ?? CoveredTime())
      }
    }
    var all = DriftFolding()
    for folding in foldings { all.merge(folding.folding) }
    var whole = all.report
    // A plot of several loops at once says nothing.
    whole?.series = foldings.count == 1 ? foldings[0].folding.report?.series ?? [] : []
    return (whole, foldings.compactMap { loop, folding in folding.report.map { (loop, $0) } })
  }

  private func stalls(of loops: Set<Int64>) throws -> [Int64: CoveredTime] {
    var stalls: [Int64: CoveredTime] = [:]
    try contents.forEachStall { stall in
      guard loops.contains(stall.loop), stall.state != .cancelled, stall.began.kind == .stall else { return }
      let start = stall.began.startedNs
      stalls[stall.loop, default: CoveredTime()].add(from: start, until: start.saturatingAdd(stall.duration))
    }
    return stalls
  }
}
