import StallwatchCore
import StallwatchStore

/// Stalls that count toward no limit, because the budget allows their signature.
struct AllowedStalls {
  /// The counts of these stalls over all loops, so that a limit can leave them out.
  private(set) var counts = StallCounts()
  /// The counts by loop row.
  private(set) var byLoop: [Int64: StallCounts] = [:]
  /// How many stalls each signature has, in the budget's order, expired signatures included.
  private(set) var stalls: [Int]
  /// The longest stall of each signature, in the same order.
  private(set) var longest: [StoredStall?]
  /// The rows of the stalls that count toward no limit.
  private var ids: Set<Int64> = []
  private let allowed: [AllowedSignature]
  private let today: String

  /// Starts empty. `today` is a day such as `2027-01-31`.
  init(_ allowed: [AllowedSignature], today: String) {
    self.allowed = allowed
    self.today = today
    stalls = Array(repeating: 0, count: allowed.count)
    longest = Array(repeating: nil, count: allowed.count)
  }

  /// Whether the stall in this row counts toward no limit.
  func contains(_ stall: Int64) -> Bool { ids.contains(stall) }

  /// Whether the last allowed day of the signature at this index is over.
  func isExpired(_ place: Int) -> Bool { allowed[place].until < today }

  /// Counts a sampled stall if one of its signatures, its own and that of the cause it counts with, is listed. Cancelled
  /// stalls do not count.
  mutating func add(_ stall: StoredStall, _ signatures: [Signature]) {
    guard stall.state != .cancelled, let place = signatures.lazy.compactMap(place).first else { return }
    stalls[place] += 1
    if stall.duration > longest[place]?.duration ?? 0 { longest[place] = stall }
    guard !isExpired(place) else { return }
    ids.insert(stall.id)
    let total = StallTotal(
      loop: stall.loop, kind: stall.began.kind, state: stall.state, severity: stall.severity, count: 1,
      total: stall.duration)
    counts.add(total)
    byLoop[stall.loop, default: StallCounts()].add(total)
  }

  private func place(of signature: Signature) -> Int? {
    allowed.firstIndex { $0.signature == signature.key || $0.signature == signature.title }
  }
}

extension StallCounts {
  /// These counts without `others`, which must be part of them.
  func without(_ others: StallCounts?) -> StallCounts {
    guard let others else { return self }
    var rest = self
    rest.count -= others.count
    for (severity, count) in others.bySeverity { rest.bySeverity[severity, default: count] -= count }
    rest.total -= min(others.total, total)
    rest.fatalCount -= others.fatalCount
    rest.openCount -= others.openCount
    rest.congestionCount -= others.congestionCount
    rest.congestionTotal -= min(others.congestionTotal, congestionTotal)
    rest.awayCount -= others.awayCount
    rest.awayTotal -= min(others.awayTotal, awayTotal)
    rest.awayHangTotal -= min(others.awayHangTotal, awayHangTotal)
    rest.hangTotal -= min(others.hangTotal, hangTotal)
    return rest
  }

  /// How many stalls have this severity or a worse one.
  func count(atLeast severity: Severity) -> Int {
    bySeverity.filter { $0.key >= severity }.values.reduce(0, +)
  }
}
