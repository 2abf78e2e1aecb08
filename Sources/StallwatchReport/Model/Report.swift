import StallwatchCore
import StallwatchStore

/// A store's whole answer, the same for every renderer. Durations are in nanoseconds; nil means unknown.
package struct Report: Sendable {
  /// The frame budget that every jank figure uses.
  package var frameBudget: Nanoseconds
  /// What of the store it is about; nil for all of it.
  package var selection: Selection?
  /// The figures that views show.
  package var catalog: Catalog
  /// All sessions, oldest first.
  package var sessions: [StoredSession]
  /// What each session is of, by the session's row.
  package var labels: [Int64: CompleteLabels] = [:]
  /// All loops of all sessions, in the order in which the monitor saw them.
  package var loops: [LoopReport]
  /// The counts of all stalls, and the worst stalls.
  package var stalls: StallReport
  /// Where busy time went, for profiled loops.
  package var profiles: [LoopProfile] = []
  /// The timers with their fires, drops and lateness, the most dropped first.
  package var timers: [TimerReport] = []
  /// The drift of all loops together; nil where none has ticks.
  package var drift: DriftReport?
  /// The drift of each loop, by the loop's row.
  package var driftByLoop: [(loop: Int64, report: DriftReport)] = []
  /// Images whose functions the report shows as addresses, and why.
  package var symbolNotes: [SymbolNote] = []
  /// The loops over time, of the sessions that were held longest, in few slices; a page has finer ones of its own.
  package var timelines: [Timeline] = []
  /// What the monitors cost and what they could not see.
  package var health: HealthReport

  /// The answer in plain words.
  package var verdict: Verdict { Verdict(self) }

  /// The drift of the first `limit` loops, with the loops' labels.
  package func loopDrifts(limit: Int) -> [(loop: String, report: DriftReport)] {
    let byRow = Dictionary(loops.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return driftByLoop.prefix(limit).map { entry in
      (byRow[entry.loop].map { label(of: $0) } ?? Figure.unknown, entry.report)
    }
  }

  /// A loop's name in texts, with its session where the store has several.
  package func label(of loop: LoopReport) -> String {
    let name = DisplayText.name(loop.name)
    return sessions.count > 1 ? "#\(loop.session) \(name)" : name
  }
}
