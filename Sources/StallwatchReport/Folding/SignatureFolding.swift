import StallwatchCore
import StallwatchStore

/// Sums stalls by signature.
struct SignatureFolding {
  private var reports: [Signature: SignatureReport] = [:]

  /// Counts a stall unless it was cancelled.
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

  /// The sums of all signatures, the one with the most time first.
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
