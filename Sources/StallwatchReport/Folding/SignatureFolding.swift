import StallwatchCore
import StallwatchStore

/// Adds stalls up by what held their loops.
struct SignatureFolding {
  private var reports: [Signature: SignatureReport] = [:]

  /// Counts a stall; a cancelled one was none.
  mutating func add(_ stall: StoredStall, _ signature: Signature) {
    guard stall.state != .cancelled else { return }
    var report =
      reports[signature]
      ?? SignatureReport(signature: signature, count: 0, total: 0, worst: 0, worstStall: stall.id, cause: nil)
    report.count += 1
    report.total = report.total.saturatingAdd(stall.duration)
    if stall.duration > report.worst { (report.worst, report.worstStall) = (stall.duration, stall.id) }
    report.cause = Self.sum(report.cause, stall.cause)
    reports[signature] = report
  }

  /// All groups, the one that took the most time first.
  func folded() -> [SignatureReport] {
    reports.values.sorted { ($1.total, $0.signature.key) < ($0.total, $1.signature.key) }
  }

  private static func sum(_ left: StallCause?, _ right: StallCause?) -> StallCause? {
    guard let left, let right else { return left ?? right }
    return StallCause(
      running: left.running.saturatingAdd(right.running), blocked: left.blocked.saturatingAdd(right.blocked),
      starved: left.starved.saturatingAdd(right.starved))
  }
}
