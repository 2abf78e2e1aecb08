import StallwatchCore

/// How responsive one loop was.
public struct LoopReport: Sendable {
  /// Its row in the store.
  public var id: Int64
  /// Its session's row.
  public var session: Int64
  /// `main`, the name it was watched by, or its thread's.
  public var name: String
  /// The operating system's thread number.
  public var threadID: UInt64
  /// Whether it is the main thread's.
  public var isMain: Bool
  /// Iterations of all modes.
  public var iterations: UInt64
  /// Time in the phases `prepare`, `sources` and `service` of all modes.
  public var busy: Nanoseconds
  /// Time in the phase `waiting` of all modes.
  public var waiting: Nanoseconds
  /// Time between the end of one run and the start of the next; in no mode, neither busy nor waiting.
  public var outside: Nanoseconds
  /// busy ÷ (busy + waiting); nil when both are 0.
  public var utilization: Double?
  /// Seconds of microhang or worse per hour of observed time (see ``HangRate``); nil when nothing was observed.
  public var hangRate: Double?
  /// Milliseconds by which spans exceed the frame budget, per second of busy time (see ``Jank``); nil without busy
  /// time.
  public var jank: Double?
  /// The spans of all modes.
  public var span: DurationSummary
  /// The gaps beforeSources → afterWaiting of all modes.
  public var gap: GapSummary
  /// Each phase over all modes.
  public var phases: [Phase: DurationSummary]
  /// Its stalls, counted.
  public var stalls: StallCounts
  /// Its modes, in the order in which they were seen.
  public var modes: [ModeReport]

  /// Whether anything was seen of it: a loop under watch that never ran has no figures.
  public var wasObserved: Bool { busy > 0 || waiting > 0 || iterations > 0 || stalls.count > 0 }
}

/// How responsive a loop was in one mode.
public struct ModeReport: Sendable {
  /// CF's name.
  public var name: String
  /// Runs entered.
  public var entries: UInt64
  /// Iterations begun.
  public var iterations: UInt64
  /// Time in the phases `prepare`, `sources` and `service`.
  public var busy: Nanoseconds
  /// Time in the phase `waiting`.
  public var waiting: Nanoseconds
  /// Time for which the mode's own sources could not run because a nested mode ran.
  public var starved: Nanoseconds
  /// busy ÷ (busy + waiting); nil when both are 0.
  public var utilization: Double?
  /// As ``LoopReport/jank``, in this mode.
  public var jank: Double?
  /// Its spans.
  public var span: DurationSummary
  /// Its phases.
  public var phases: [Phase: DurationSummary]

  /// Whether the loop was seen to run in it: a mode may be watched and never run.
  public var wasRun: Bool { entries > 0 || iterations > 0 || busy > 0 || waiting > 0 }
}

/// The gap beforeSources → afterWaiting, and what it was made of.
public struct GapSummary: Sendable {
  /// The gaps.
  public var all: DurationSummary
  /// The part that was work between beforeSources and beforeWaiting: the gaps' total less ``waiting``.
  public var sources: Nanoseconds
  /// The part in which the loop slept.
  public var waiting: Nanoseconds

  /// The split of `all`, of which `waiting` was sleep. A wait that began before the loop was watched is in no gap: the
  /// waiting part is never more than the whole.
  public init(all: DurationSummary, waiting: Nanoseconds) {
    self.all = all
    self.waiting = min(waiting, all.total)
    sources = all.total - self.waiting
  }
}
