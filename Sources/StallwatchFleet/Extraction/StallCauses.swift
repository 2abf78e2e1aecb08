import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The causes of a session's stalls, found from their looks, and the sums of each cause. Most stalls are where others
/// were before: new ones are grouped, and the others are only added up.
struct StallCauses {
  private let stacks: StackReader<StoreReader>
  private let session: Int64
  private var folding = SignatureFolding()
  /// The causes of stalls whose looks are all alike, with the sums that are not in ``folding`` yet.
  private var alike: [BriefSample.Look: (cause: SignatureRule.Cause?, sum: StallSum?)] = [:]
  /// The most different looks in ``alike``, half a kilobyte each: most recordings have fewer.
  private static let mostLooks = 10_000

  init(session: Int64, stacks: StackReader<StoreReader>) { (self.session, self.stacks) = (session, stacks) }

  /// The cause of a stall with these looks; nil where they show none. Counts the stall, unless it was cancelled.
  mutating func take(_ stall: StoredStall, _ samples: [BriefSample]) throws -> SignatureRule.Cause? {
    guard let look = samples.first?.look else { return nil }
    let sum = stall.state == .cancelled ? nil : StallSum(stall)
    guard samples.allSatisfy({ $0.look == look }) else {
      let cause = try stacks.cause(of: samples, session: session)
      if let sum { folding.add(sum, cause) }
      return cause
    }
    if alike[look] == nil {
      if alike.count >= Self.mostLooks { hand() }
      alike[look] = (try stacks.cause(of: [BriefSample(look: look, weight: 1)], session: session), nil)
    }
    if let sum {
      if alike[look]?.sum == nil { alike[look]?.sum = sum } else { alike[look]?.sum?.add(sum) }
    }
    return alike[look]?.cause
  }

  /// The signatures of the stalls so far, each with what most of its stalls blame.
  mutating func reports() -> [SignatureReport] {
    hand()
    return folding.unmerged
  }

  private mutating func hand() {
    for (cause, sum) in alike.values {
      if let sum { folding.add(sum, cause) }
    }
    alike = [:]
  }
}
