import StallwatchCore
import StallwatchStore

/// Sums stalls by signature, and takes those together that are one bug.
///
/// A stall's few looks leave it to chance which side of a half something falls on. So a cause goes into a heavier one if it
/// nearly was that one (``Signature/near``), or is the same call at the same line, and only waited for something else in
/// there, or for nothing.
struct SignatureFolding {
  /// The number of sampled stalls without a signature.
  private var unreadCount = 0
  private var reports: [Signature: SignatureReport] = [:]
  /// Time by whom stalls of a signature blame.
  private var blames: [Signature: [Blame: Nanoseconds]] = [:]
  /// The most different blames summed for one signature: the same line comes first in all but odd recordings.
  private static let mostBlames = 64

  /// The sums, and where signatures went.
  struct Folded {
    /// The one with the most time first.
    var reports: [SignatureReport]
    /// The signatures that went into another, with that one.
    var merged: [Signature: Signature]
  }

  /// A call at a line of code.
  private struct Site: Hashable {
    var place: Blame.Place
    var called: String

    init?(_ report: SignatureReport) {
      guard let own = report.blame.own, own.location?.line != nil, let called = report.blame.called else { return nil }
      (place, self.called) = (own, called)
    }
  }

  /// Counts a sampled stall unless it was cancelled.
  mutating func add(_ stall: StoredStall, _ analysis: StallAnalysis) {
    guard stall.state != .cancelled else { return }
    guard let signature = analysis.signature, let blame = analysis.blame else {
      unreadCount += 1
      return
    }
    var report =
      reports[signature]
      ?? SignatureReport(
        signature: signature, blame: blame, count: 0, total: 0, worst: 0, worstStall: stall.id, cause: nil)
    report.count += 1
    report.total = report.total.saturatingAdd(stall.duration)
    if stall.duration > report.worst { (report.worst, report.worstStall) = (stall.duration, stall.id) }
    report.cause = Self.sum(report.cause, stall.cause)
    let known = blames[signature]?[blame]
    if known != nil || (blames[signature]?.count ?? 0) < Self.mostBlames {
      let time = (known ?? 0).saturatingAdd(stall.duration)
      blames[signature, default: [:]][blame] = time
      if time > blames[signature]?[report.blame] ?? 0 { report.blame = blame }
    }
    reports[signature] = report
  }

  /// The sums of all bugs.
  func folded() -> Folded {
    var kept: [SignatureReport] = []
    var (merged, places, sites): ([Signature: Signature], [String: Int], [Site: Int]) = ([:], [:], [:])
    for report in Self.sorted(reports.values) {
      let site = Site(report)
      if let place = report.signature.near.flatMap({ places[$0] }) ?? site.flatMap({ sites[$0] }) {
        merged[report.signature] = kept[place].signature
        Self.add(report, to: &kept[place])
      } else {
        places[report.signature.key] = kept.count
        if let site { sites[site] = kept.count }
        kept.append(report)
      }
    }
    return Folded(reports: Self.sorted(kept), merged: merged)
  }

  /// What belongs to no signature of a store with these stalls.
  func unattributed(of counts: StallCounts) -> Unattributed {
    var rest = Unattributed()
    rest.unreadCount = unreadCount
    rest.unsampledCount = max(counts.listedCount - unreadCount - reports.values.map(\.count).reduce(0, +), 0)
    let attributed = reports.values.map(\.total).saturatingSum()
    rest.total = rest.count == 0 ? 0 : max(counts.listedTotal, attributed) - attributed
    return rest
  }

  private static func sorted(_ reports: some Sequence<SignatureReport>) -> [SignatureReport] {
    reports.sorted { ($1.total, $0.signature.key) < ($0.total, $1.signature.key) }
  }

  private static func add(_ report: SignatureReport, to whole: inout SignatureReport) {
    whole.count += report.count
    whole.total = whole.total.saturatingAdd(report.total)
    if report.worst > whole.worst { (whole.worst, whole.worstStall) = (report.worst, report.worstStall) }
    whole.cause = sum(whole.cause, report.cause)
  }

  private static func sum(_ left: StallCause?, _ right: StallCause?) -> StallCause? {
    guard let left, let right else { return left ?? right }
    return StallCause(
      running: left.running.saturatingAdd(right.running), blocked: left.blocked.saturatingAdd(right.blocked),
      starved: left.starved.saturatingAdd(right.starved))
  }
}
