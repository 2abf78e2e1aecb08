import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// A store's state at one moment, for a view that refreshes: totals and the last stalls, whatever the store's size.
package struct LiveReading: Sendable {
  /// A loop's totals.
  package struct Loop: Sendable {
    package var id: Int64
    package var session: Int64
    package var name: String
    package var time = LoopTime()
    package var iterations: UInt64 = 0
    package var longest: Nanoseconds = 0
    package var stalls = StallCounts()
  }

  /// A timer's totals.
  package struct Timer: Sendable {
    package var id: Int64
    package var title: String
    package var loopName: String
    package var fired: UInt64
    package var dropped: UInt64
    package var worst: Nanoseconds
  }

  /// What of the store it is about; nil for all of it.
  package var selection: Selection?
  package var sessions: [StoredSession] = []
  package var loops: [Loop] = []
  package var timers: [Timer] = []
  package var stalls = StallCounts()
  /// Stalls still going on, each with its latest stack and what the thread waits for.
  package var held: [StallDetail] = []
  /// The last stalls that are over, the latest first.
  package var last: [ListedStall] = []
  package var losses: UInt64 = 0
  package var blind: Nanoseconds = 0

  /// How many of the last stalls are read one by one.
  private static let lastStalls = 12

  /// Reads `contents` and takes function names from `search`. Throws what `contents` throws.
  package init<Contents: StoreContents>(_ contents: Contents, search: SymbolSearch = SymbolSearch()) throws {
    selection = contents.selection
    sessions = try contents.sessions()
    var byLoop: [Int64: StallCounts] = [:]
    for sort in try contents.stallTotals() {
      stalls.add(sort)
      byLoop[sort.loop, default: StallCounts()].add(sort)
    }
    let stacks = StackReader(contents, search: search)
    let folding = TimerFolding(contents: contents, stacks: stacks)
    var stored: [StoredLoop] = []
    for session in sessions {
      let health = try contents.health(session: session.id)
      losses = losses.saturatingAdd(HealthFigures.lossCount(health.losses))
      blind = blind.saturatingAdd(health.intervals.filter { $0.kind == .blind }.map(\.duration).saturatingSum())
      let own = try contents.loops(session: session.id)
      stored += own
      loops += try Self.loops(own, stalls: byLoop, session: session.id, in: contents)
      try contents.forEachTimerLedger(session: session.id) { timer in
        timers.append(
          Timer(
            id: timer.id, title: try folding.title(of: timer.record, session: session.id),
            loopName: own.first { $0.id == timer.loop }?.record.name ?? Figure.unknown, fired: timer.ledger.fired,
            dropped: timer.ledger.dropped, worst: timer.lateness?.maximum ?? 0))
      }
    }
    let directory = StallDirectory(sessions: sessions, loops: stored)
    let examiner = StallExaminer(contents, stacks: stacks)
    held = try contents.openStalls().filter { $0.state == .began }.compactMap { try examiner.examine($0.id) }
    last = try contents.lastStalls(limit: Self.lastStalls).filter { [.ended, .fatal].contains($0.state) }.map { stall in
      let analysis = try stacks.analysis(of: contents.samples(stall: stall.id), session: stall.session)
      return directory.listed(stall, analysis: analysis)
    }
  }

  private static func loops(
    _ stored: [StoredLoop], stalls: [Int64: StallCounts], session: Int64, in contents: some StoreContents
  ) throws -> [Loop] {
    var sums = stored.map { loop in
      var sum = Loop(id: loop.id, session: session, name: loop.record.name)
      sum.stalls = stalls[loop.id] ?? StallCounts()
      return sum
    }
    let places = Dictionary(sums.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    try contents.forEachWindow(session: session, withCells: false) { window in
      guard let place = places[window.loop] else { return }
      sums[place].time.add(busy: window.busy, waiting: window.waiting)
      sums[place].iterations = sums[place].iterations.saturatingAdd(window.iterations)
      sums[place].longest = max(sums[place].longest, window.longest)
    }
    return sums
  }

  /// Whether a process is still writing.
  package var isRecording: Bool { sessions.contains { $0.ended == .running } }
}
