import StallwatchCore
import StallwatchStore

/// What a page shows: the whole report, and what a text has no room for.
public struct Page: Sendable {
  /// The report.
  public var report: Report
  /// What the store is called, for the commands that the page names.
  public var store: String
  /// Each session's loops along time; the longest held first where they are many.
  var timelines: [Timeline] = []
  /// Sessions without a timeline, because there are too many.
  var leftOutSessions = 0
  /// The causes that took the most time, with what their stalls were doing.
  var causes: [CauseDetail] = []
  /// How long phases, spans and gaps took, for the loops that matter most.
  var distributions: [LoopDistribution] = []
}
