import StallwatchCore

/// The responsiveness of one loop.
package struct LoopReport: Sendable {
  /// Its row in the store.
  package var id: Int64
  /// Its session's row.
  package var session: Int64
  /// `main`, the name under which it is watched, or its thread's name.
  package var name: String
  /// The operating system's thread number.
  package var threadID: UInt64
  /// Whether it is the main thread's loop, or the main queue.
  package var isMain: Bool
  /// What kind of lane it is.
  package var kind: LaneKind
  /// Iterations of all modes.
  package var iterations: UInt64
  /// The time in all modes.
  package var time: LoopTime
  /// Time between the end of one run and the start of the next: in no mode, neither busy nor waiting.
  package var outside: Nanoseconds
  /// Seconds of microhang or worse per hour of observed time (see ``HangRate``); nil when nothing was observed.
  package var hangRate: Double?
  /// Milliseconds by which spans exceed the frame budget, per second of busy time (``Jank``); nil without busy time.
  package var jank: Double?
  /// The spans of all modes; of a queue or pool, for how long its items were served.
  package var span: DurationSummary
  /// For how long the items of a queue or pool waited; empty for other lanes.
  package var delay: DurationSummary
  /// The gaps beforeSources → afterWaiting of all modes.
  package var gap: GapSummary
  /// Each phase, over all modes; none for a queue or pool.
  package var phases: [Phase: DurationSummary]
  /// The counts of its stalls.
  package var stalls: StallCounts
  /// Its modes, in the order in which the monitor saw them.
  package var modes: [ModeReport]

  /// Whether the loop has any figures. A loop under watch that never ran has none.
  package var wasObserved: Bool { time.whole > 0 || iterations > 0 || stalls.count > 0 }

  /// The longest wait in which others were served, as far as the figures tell; 0: unknown. Where no stall was, a wait of at
  /// least `threshold` is one in which the lane served nothing, such as a suspended queue.
  package func longestWait(threshold: Nanoseconds) -> Nanoseconds {
    guard let longest = delay.maximum, stalls.count > 0 || longest < threshold else { return 0 }
    return longest
  }

  /// The observed loops, those held longest first; among loops without stalls, those with the longest spans first.
  package static func worstFirst(_ loops: [LoopReport]) -> [LoopReport] {
    loops.filter(\.wasObserved).sorted {
      ($0.stalls.total, $0.stalls.congestionTotal, $0.span.maximum ?? 0, $1.id)
        > ($1.stalls.total, $1.stalls.congestionTotal, $1.span.maximum ?? 0, $0.id)
    }
  }
}

/// The responsiveness of a loop in one mode.
package struct ModeReport: Sendable {
  /// CF's name.
  package var name: String
  /// Runs entered.
  package var entries: UInt64
  /// Iterations begun.
  package var iterations: UInt64
  /// The time in this mode.
  package var time: LoopTime
  /// Time for which the mode's own sources could not run because a nested mode ran.
  package var starved: Nanoseconds
  /// Like ``LoopReport/jank``, in this mode.
  package var jank: Double?
  package var span: DurationSummary
  /// Like ``LoopReport/delay``, in this mode.
  package var delay: DurationSummary
  package var phases: [Phase: DurationSummary]

  /// Whether the loop ran in this mode. A mode may be watched and never run.
  package var wasRun: Bool { entries > 0 || iterations > 0 || time.whole > 0 }
}

/// The gap beforeSources → afterWaiting, split into work and sleep.
package struct GapSummary: Sendable {
  package var all: DurationSummary
  /// Work between beforeSources and beforeWaiting: the gaps' total minus ``waiting``.
  package var sources: Nanoseconds
  /// Time in which the loop slept.
  package var waiting: Nanoseconds

  /// Splits `all` into work and sleep; `waiting` is the sleep, capped at the gaps' total: a wait that began before the
  /// loop was watched is in no gap.
  package init(all: DurationSummary, waiting: Nanoseconds) {
    self.all = all
    self.waiting = min(waiting, all.total)
    sources = all.total - self.waiting
  }
}
