import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Reads a store's timers and drift.
package struct TimerFolding<Contents: StoreContents> {
  let contents: Contents
  let stacks: StackReader<Contents>

  /// Reads timers of `contents`, and names those without a name by `stacks`.
  package init(contents: Contents, stacks: StackReader<Contents>) {
    (self.contents, self.stacks) = (contents, stacks)
  }

  /// The timers of all sessions, the most dropped first, then the latest. Where a session made many timers at one site,
  /// they count as one (``TimerSites``).
  func timers(_ sessions: [StoredSession], loops: [StoredLoop]) throws -> [TimerReport] {
    let names = Dictionary(loops.map { ($0.id, $0.record.name) }, uniquingKeysWith: { first, _ in first })
    var reports: [TimerReport] = []
    for session in sessions {
      let first = reports.count
      try forEachSite(of: session) { timer, count in
        reports.append(
          TimerReport(
            timer: timer, count: count, loopName: timer.loop.flatMap { names[$0] },
            origin: try origin(of: timer.record, session: session.id),
            lateness: timer.lateness.map { DurationSummary($0) } ?? DurationSummary(),
            plot: LatenessPlot.text(timer.lateness)))
      }
      var places: [Int64: Int] = [:]
      for place in reports.indices[first...] where reports[place].count == 1 { places[reports[place].timer.id] = place }
      guard !places.isEmpty else { continue }
      try contents.forEachTimerWindow(session: session.id) { timer, window in
        if let place = places[timer] { reports[place].add(window) }
      }
    }
    return reports.sorted {
      ($0.timer.ledger.dropped, $0.lateness.maximum ?? 0, $1.timer.id)
        > ($1.timer.ledger.dropped, $1.lateness.maximum ?? 0, $0.timer.id)
    }
  }

  /// Calls `body` for every timer or site of timers in a session, with the number of timers that it stands for.
  package func forEachSite(of session: StoredSession, _ body: (StoredTimer, Int) throws -> Void) throws {
    var sites = TimerSites()
    try contents.forEachTimer(session: session.id) { sites.add($0) }
    for (timer, count) in sites.timers { try body(timer, count) }
  }

  /// The title of the timer in this row, as texts show it; nil when there is none.
  func title(of timer: Int64, session: Int64) throws -> String? {
    guard let record = try contents.timer(id: timer) else { return nil }
    return try title(of: record, session: session)
  }

  /// The title of a timer of this session, as texts show it.
  package func title(of timer: TimerRecord, session: Int64) throws -> String {
    TimerReport.title(of: timer, origin: try origin(of: timer, session: session))
  }

  private func origin(of timer: TimerRecord, session: Int64) throws -> Frame? {
    guard timer.origin != 0 else { return nil }
    // The origin is a return address: the call lies before it.
    let frames = try stacks.frames([timer.origin - 1], session: session)
    return frames.first { !$0.isGlue && $0.name != nil } ?? frames.first
  }

  /// The drift of all loops together, and of each loop with ticks by its row. Holds one session's ticks at a time.
  func drift(
    _ sessions: [StoredSession], loops: [StoredLoop]
  ) throws -> (all: DriftReport?, loops: [(loop: Int64, report: DriftReport)]) {
    let loops = Dictionary(grouping: loops, by: \.session)
    var (all, reports) = (DriftFolding(), [(loop: Int64, report: DriftReport)]())
    for session in sessions {
      for (loop, folding) in try drift(of: session, loops: loops[session.id] ?? []) {
        guard var report = folding.report else { continue }
        all.merge(folding)
        // Nobody looks through more plots.
        if reports.count >= DriftReport.mostPlots { report.series = [] }
        reports.append((loop, report))
      }
    }
    var whole = all.report
    // A plot of several loops at once shows nothing.
    whole?.series = reports.count == 1 ? reports[0].report.series : []
    return (whole, reports)
  }

  private func drift(of session: StoredSession, loops: [StoredLoop]) throws -> [(loop: Int64, folding: DriftFolding)] {
    let (start, duration) = (session.record.startedNs, session.duration)
    let known = Set(loops.map(\.id))
    var found: [Int64: DriftFolding] = [:]
    try contents.forEachTickWindow(session: session.id) { loop, window in
      guard known.contains(loop) else { return }
      found[loop, default: DriftFolding()].add(window, start: start, duration: duration)
    }
    try contents.forEachTick(session: session.id) { stored in
      guard known.contains(stored.loop) else { return }
      found[stored.loop, default: DriftFolding()].add(stored, start: start, duration: duration)
    }
    let late = Set(found.filter { $0.value.hasLateTicks }.keys)
    let stalls = late.isEmpty ? [:] : try stalls(of: late, session: session.id)
    return loops.compactMap { loop in
      guard var folding = found[loop.id] else { return nil }
      folding.explain(by: stalls[loop.id] ?? CoveredTime())
      return (loop.id, folding)
    }
  }

  private func stalls(of loops: Set<Int64>, session: Int64) throws -> [Int64: CoveredTime] {
    var stalls: [Int64: CoveredTime] = [:]
    try contents.forEachHold(session: session) { loop, start, length in
      guard loops.contains(loop) else { return }
      stalls[loop, default: CoveredTime()].add(from: start, until: start.saturatingAdd(length))
    }
    return stalls
  }
}
