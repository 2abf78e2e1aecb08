import StallwatchCore
import StallwatchStore

/// How many stalls there were, and how long they took together.
public struct StallCounts: Sendable, Equatable {
  /// Spans of at least the threshold, cancelled ones left out; also those that were never over.
  public var count = 0
  /// The same by severity; a severity without any has no entry.
  public var bySeverity: [Severity: Int] = [:]
  /// Their summed duration.
  public var total: Nanoseconds = 0
  /// Those in which the process died.
  public var fatalCount = 0
  /// Those that were going on when the store was read.
  public var openCount = 0
  /// Busy runs of at least the threshold in which no span is a stall.
  public var congestionCount = 0
  /// Their summed duration.
  public var congestionTotal: Nanoseconds = 0
  /// Times of at least the threshold that a thread was away from its loop while something was due there.
  public var awayCount = 0
  /// Their summed duration.
  public var awayTotal: Nanoseconds = 0
  /// Summed duration of those of microhang severity or worse.
  public var awayHangTotal: Nanoseconds = 0
  /// Candidates of any kind that proved to be none.
  public var cancelledCount = 0
  /// Summed duration of stalls of microhang severity or worse.
  public var hangTotal: Nanoseconds = 0
  /// Summed duration of stalls that were never over: no histogram holds their spans.
  public var unfinishedTotal: Nanoseconds = 0

  /// No stalls.
  public init() {}

  /// Summed duration of what counts in the hang rate: of the main loop its aways too, for it serves whoever waits for it. The
  /// thread of another loop may have other things to do.
  func hangTime(isMain: Bool) -> Nanoseconds { isMain ? hangTotal.saturatingAdd(awayHangTotal) : hangTotal }

  /// All that a list of stalls holds, but for cancelled candidates.
  var listedCount: Int { count + congestionCount + awayCount }

  /// Adds the store's count of one sort.
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
  /// What a list calls it: its severity, or what kind of hold-up it is where that is no stall.
  var sortName: String { began.kind == .stall ? severity.name : began.kind.rawValue }
  /// What was due while a thread was away; not known where the process died in it or it goes on.
  var dueWords: String { state == .ended ? reason ?? "something was due" : "something was due" }
  /// The phase it was in; nil for an away, which is outside any.
  var phaseName: String? { began.kind == .away ? nil : began.phase.name }
}

/// The stalls of a whole store.
public struct StallReport: Sendable {
  /// Counts of all of them.
  public var counts: StallCounts
  /// The worst, longest first, congestion and aways among them; cancelled ones are left out.
  public var worst: [ListedStall]
  /// What caused them, the cause that took the most time first; stalls without samples are in none.
  public var signatures: [SignatureReport] = []
}

/// A stall with what a list says about its loop and session.
public struct ListedStall: Sendable {
  /// The stall.
  public var stall: StoredStall
  /// Its loop's name.
  public var loopName: String
  /// Its loop's thread; nil when the store has lost the loop.
  public var threadID: UInt64?
  /// Wall clock when it began, nanoseconds since 1970-01-01 UTC; nil when the store has lost the session.
  public var startedAt: UInt64?
  /// When it began, counted from the start of its session; nil likewise.
  public var offset: Nanoseconds?
  /// What its samples say; nil without samples, or where they were not looked at.
  public var analysis: StallAnalysis?
}
