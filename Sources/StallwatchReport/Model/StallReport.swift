import StallwatchCore
import StallwatchStore

/// How many stalls there were, and how long they lasted together.
package struct StallCounts: Sendable, Equatable {
  /// Spans of at least the threshold, including unfinished ones and excluding cancelled ones.
  package var count = 0
  /// ``count`` by severity; a severity without stalls has no entry.
  package var bySeverity: [Severity: Int] = [:]
  /// The summed duration of these stalls.
  package var total: Nanoseconds = 0
  /// Stalls in which the process died.
  package var fatalCount = 0
  /// Stalls still going on when the store was read.
  package var openCount = 0
  /// Busy runs of at least the threshold in which no span is a stall.
  package var congestionCount = 0
  /// The summed duration of these busy runs.
  package var congestionTotal: Nanoseconds = 0
  /// How often a thread was away from its loop for at least the threshold while something was due there.
  package var awayCount = 0
  /// The summed duration of these aways.
  package var awayTotal: Nanoseconds = 0
  /// The summed duration of aways of microhang severity or worse.
  package var awayHangTotal: Nanoseconds = 0
  /// Suspected stalls of any kind that proved false.
  package var cancelledCount = 0
  /// The summed duration of stalls of microhang severity or worse.
  package var hangTotal: Nanoseconds = 0
  /// The summed duration of unfinished stalls: no histogram holds their spans.
  package var unfinishedTotal: Nanoseconds = 0

  /// Starts at zero.
  package init() {}

  /// The summed duration that counts in the hang rate. For the main loop this includes aways, because others wait for
  /// it; the thread of another loop may have other work.
  func hangTime(isMain: Bool) -> Nanoseconds { isMain ? hangTotal.saturatingAdd(awayHangTotal) : hangTotal }

  /// The number of entries in a list of stalls, without cancelled ones.
  package var listedCount: Int { count + congestionCount + awayCount }

  /// Their summed duration.
  var listedTotal: Nanoseconds { [total, congestionTotal, awayTotal].saturatingSum() }

  /// Adds the store's total for one sort of stall.
  mutating func add(_ sort: StallTotal) {
    if sort.state == .cancelled {
      cancelledCount += sort.count
    } else if sort.kind == .congestion {
      congestionCount += sort.count
      congestionTotal = congestionTotal.saturatingAdd(sort.total)
    } else if sort.kind == .away {
      awayCount += sort.count
      awayTotal = awayTotal.saturatingAdd(sort.total)
      if sort.severity >= .microhang { awayHangTotal = awayHangTotal.saturatingAdd(sort.total) }
    } else {
      count += sort.count
      bySeverity[sort.severity, default: 0] += sort.count
      total = total.saturatingAdd(sort.total)
      if sort.severity >= .microhang { hangTotal = hangTotal.saturatingAdd(sort.total) }
      if sort.state == .fatal { fatalCount += sort.count }
      if sort.state == .began { openCount += sort.count }
      if sort.state != .ended { unfinishedTotal = unfinishedTotal.saturatingAdd(sort.total) }
    }
  }
}

extension StoredStall {
  /// The name in lists: the severity of a stall, or the kind of congestion or an away.
  package var sortName: String { began.kind == .stall ? severity.name : began.kind.rawValue }
  /// What was due while a thread was away; unknown where the away never ended.
  var dueWords: String { state == .ended ? reason ?? "something was due" : "something was due" }
  /// The phase in which it began; nil for an away, which is outside any phase.
  package var phaseName: String? { began.kind == .away ? nil : began.phase.name }
}

/// The stalls of a whole store.
package struct StallReport: Sendable {
  /// The counts of all stalls.
  package var counts: StallCounts
  /// The worst stalls, longest first, including congestion and aways, excluding cancelled ones.
  package var worst: [ListedStall]
  /// The signatures, the one with the most time first. Stalls of unknown cause belong to none.
  package var signatures: [SignatureReport] = []
  /// Signatures of stalls that count with another one, which is in ``signatures``.
  package var merged: [Signature: Signature] = [:]
  /// The stalls that belong to none: with it, the signatures add up to ``counts``.
  package var unattributed = Unattributed()
}

/// The stalls whose cause is unknown.
package struct Unattributed: Sendable, Equatable {
  /// Stalls without samples.
  package var unsampledCount = 0
  /// Sampled stalls of which too few stacks could be read.
  package var unreadCount = 0
  /// The summed duration of both.
  package var total: Nanoseconds = 0

  /// The number of both.
  package var count: Int { unsampledCount + unreadCount }

  package init() {}
}

/// A stall with the facts of its loop and session that a list shows.
package struct ListedStall: Sendable {
  package var stall: StoredStall
  /// Its loop's name.
  package var loopName: String
  /// What kind of lane its loop is.
  package var loopKind: LaneKind
  /// The system's number of its loop's thread; nil when the loop is missing from the store.
  package var threadID: UInt64?
  /// When it began, in nanoseconds since 1970-01-01 UTC; nil when the session is missing from the store.
  package var startedAt: UInt64?
  /// When it began, counted from the start of its session; nil when the session is missing.
  package var offset: Nanoseconds?
  /// What its samples show; nil without samples, or where they were not read.
  package var analysis: StallAnalysis?

  /// Its loop in words, as in `the main loop`.
  package var lane: String { LaneWords.phrase(loopName, loopKind, isMain: loopName == "main") }
}
