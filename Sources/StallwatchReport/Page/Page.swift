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
  /// The loops of the timelines in finer slices, by the session's row.
  package var busy: [Int64: BusyTime] = [:]
  /// The stalls, session by session in the order of their start, including congestion and aways, excluding cancelled
  /// ones.
  package var marks: [StallMark] = []
  /// The number of stalls without a mark: the shortest, where there are too many.
  package var leftOutMarks = 0
  /// The number of marks without their annotations, because there are too many different ones.
  package var leftOutNotes = 0
  /// The longest stalls in words.
  package var stories: [StallStory] = []
  /// The stacks of marks and profiles.
  package var stacks = PageStacks(mostNodes: 1)
  /// The signatures with the most time, in detail.
  package var causes: [CauseDetail] = []
  /// Where the busy time of profiled loops went, the busiest first.
  package var profiles: [PageProfile] = []
  /// The distributions of the worst loops.
  package var distributions: [LoopDistribution] = []
}
