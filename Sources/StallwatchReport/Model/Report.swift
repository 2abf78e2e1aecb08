import StallwatchCore
import StallwatchStore

/// The answer that a store gives: what every renderer shows. Durations in nanoseconds; nil is what is not known.
public struct Report: Sendable {
  /// The frame budget behind every jank figure.
  public var frameBudget: Nanoseconds
  /// All sessions, oldest first.
  public var sessions: [StoredSession]
  /// All loops of all sessions, in the order in which they were seen.
  public var loops: [LoopReport]
  /// Counts of all stalls, and the worst of them.
  public var stalls: StallReport
  /// What kept the loops busy, for those that were profiled.
  public var profiles: [LoopProfile] = []
  /// What became of the timers' due times, the most dropped first.
  public var timers: [TimerReport] = []
  /// How late all loops were beside a GCD timer; nil where nothing is known of it.
  public var drift: DriftReport?
  /// The same for each loop, by its row.
  public var driftByLoop: [(loop: Int64, report: DriftReport)] = []
  /// Images whose functions are shown as addresses, and why.
  public var symbolNotes: [SymbolNote] = []
  /// What the monitors cost and what they could not see.
  public var health: HealthReport

  /// The answer in plain words.
  public var verdict: Verdict { Verdict(self) }

  /// The drift of the first `limit` loops, by what a text calls them.
  func loopDrifts(limit: Int) -> [(loop: String, report: DriftReport)] {
    let byRow = Dictionary(loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return driftByLoop.prefix(limit).map { entry in
      (byRow[entry.loop].map { label(of: $0) } ?? Figure.unknown, entry.report)
    }
  }

  /// How a text names a loop: with its session where the store has several.
  func label(of loop: LoopReport) -> String {
    let name = DisplayText.name(loop.name)
    return sessions.count > 1 ? "#\(loop.session) \(name)" : name
  }
}
