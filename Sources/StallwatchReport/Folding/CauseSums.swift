import StallwatchCore
import StallwatchStore

/// Sums a store's sampled stalls by what their looks show. Of a million stalls most stand where others stood before:
/// what is new is grouped, and the rest is added up.
struct CauseSums<Contents: StoreContents> {
  private let stacks: StackReader<Contents>
  private var signatures = SignatureFolding()
  /// The session whose stalls are being added; their stacks are its own.
  private var session: Int64?
  /// Stalls whose looks are all alike: the look, and their sum.
  private var alike: [(look: BriefSample.Look, sum: StallSum)] = []
  /// The places in ``alike``.
  private var places: [BriefSample.Look: Int] = [:]
  /// The most looks kept apart, half a kilobyte each: most recordings have fewer different ones.
  private static var mostLooks: Int { 20_000 }

  /// The sums over all sampled stalls of `contents`. Throws what it throws.
  static func signatures(of contents: Contents, stacks: StackReader<Contents>) throws -> SignatureFolding {
    var sums = CauseSums(stacks: stacks)
    try contents.forEachBriefStall { try sums.add($0, $1) }
    try sums.hand()
    return sums.signatures
  }

  private init(stacks: StackReader<Contents>) { self.stacks = stacks }

  private mutating func add(_ stall: BriefStall, _ samples: [BriefSample]) throws {
    guard let look = samples.first?.look, stall.state != .cancelled else { return }
    if session != stall.session || alike.count >= Self.mostLooks {
      try hand()
      session = stall.session
    }
    guard samples.allSatisfy({ $0.look == look }) else {
      return signatures.add(StallSum(stall), try stacks.cause(of: samples, session: stall.session))
    }
    if let place = places[look] {
      alike[place].sum.add(StallSum(stall))
    } else {
      places[look] = alike.count
      alike.append((look, StallSum(stall)))
    }
  }

  /// Hands on what is summed of a session, in the order in which it came.
  private mutating func hand() throws {
    guard let session else { return }
    for (look, sum) in alike {
      signatures.add(sum, try stacks.cause(of: [BriefSample(look: look, weight: 1)], session: session))
    }
    (alike, places) = ([], [:])
  }
}
