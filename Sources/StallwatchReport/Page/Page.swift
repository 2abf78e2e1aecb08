import StallwatchCore
import StallwatchStore

/// The contents of a page: the whole report, and what a text has no room for.
package struct Page: Sendable {
  package var report: Report
  /// The store's name, for the commands that the page shows.
  package var store: String
  /// The timelines of the sessions, those held longest first.
  package var timelines: [Timeline] = []
  /// The number of sessions without a timeline, because there are too many.
  package var leftOutSessions = 0
  /// The signatures with the most time, in detail.
  package var causes: [CauseDetail] = []
  /// The distributions of the worst loops.
  package var distributions: [LoopDistribution] = []
}
