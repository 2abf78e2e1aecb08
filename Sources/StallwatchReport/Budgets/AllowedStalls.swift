import StallwatchCore
import StallwatchStore

/// Stalls that count toward no limit, because their cause is known and allowed.
struct AllowedStalls {
  /// What they add up to.
  private(set) var counts = StallCounts()
  /// The same by loop.
  private(set) var byLoop: [Int64: StallCounts] = [:]
  /// How many each allowed signature has, by its place.
  private(set) var stalls: [Int]
  /// The longest of them, likewise.
  private(set) var longest: [StoredStall?]
  /// Which stalls they are.
  private var ids: Set<Int64> = []
  private let allowed: [AllowedSignature]
  private let today: String

  /// None yet, of these signatures on that day (`2027-01-31`).
  init(_ allowed: [AllowedSignature], today: String) {
    self.allowed = allowed
    self.today = today
    stalls = Array(repeating: 0, count: allowed.count)
    longest = Array(repeating: nil, count: allowed.count)
  }

  /// Whether the stall in that row counts toward no limit.
  func contains(_ stall: Int64) -> Bool { ids.contains(stall) }

  /// Whether a signature's time is over.
  func isExpired(_ place: Int) -> Bool { allowed[place].until < today }

  /// Takes in a sampled stall.
  mutating func add(_ stall: StoredStall, _ signature: Signature?) {
    guard stall.state != .cancelled, let place = place(of: signature) else { return }
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

  private func place(of signature: Signature?) -> Int? {
    guard let signature else { return nil }
    return allowed.firstIndex { $0.signature == signature.key || $0.signature == signature.title }
  }
}

extension StallCounts {
  /// These without `others`, which are among them.
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

  /// Stalls that are at least so bad.
  func count(atLeast severity: Severity) -> Int {
    bySeverity.filter { $0.key >= severity }.values.reduce(0, +)
  }
}
