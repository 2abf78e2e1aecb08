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
  private let allowed: [AllowedSignature]
  private let today: String

  /// None yet, of these signatures on that day (`2027-01-31`).
  init(_ allowed: [AllowedSignature], today: String) {
    self.allowed = allowed
    self.today = today
    stalls = Array(repeating: 0, count: allowed.count)
  }

  /// Whether a cause is allowed today; with a report's signature.
  func isAllowed(_ signature: Signature?) -> Bool { place(of: signature).map { allowed[$0].until >= today } ?? false }

  /// Whether a signature's time is over.
  func isExpired(_ place: Int) -> Bool { allowed[place].until < today }

  /// Takes in a sampled stall.
  mutating func add(_ stall: StoredStall, _ signature: Signature?) {
    guard stall.state != .cancelled, let place = place(of: signature) else { return }
    stalls[place] += 1
    guard !isExpired(place) else { return }
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
    rest.hangTotal -= min(others.hangTotal, hangTotal)
    return rest
  }

  /// Stalls that are at least so bad.
  func count(atLeast severity: Severity) -> Int {
    bySeverity.filter { $0.key >= severity }.values.reduce(0, +)
  }
}
