import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// Folds the samples of compared stores into call trees of the difference.
package struct DifferenceBuilder {
  private let search: SymbolSearch
  /// The most causes with a tree of their own: nobody looks at more.
  private static let mostCauses = 12

  /// A builder that takes function names from `search`.
  package init(search: SymbolSearch = SymbolSearch()) { self.search = search }

  /// All causes together, then each: findings first, then those that held loops longest. Reads the stores once more;
  /// throws what they throw.
  package func trees<Contents: StoreContents>(
    _ comparison: Comparison, base: [(name: String, contents: Contents)], new: [(name: String, contents: Contents)]
  ) throws -> [CauseDifference] {
    var (causes, places): ([CauseDifference], [String: Int]) = ([], [:])
    for change in comparison.changes {
      guard let key = change.signature, places[key] == nil, causes.count < Self.mostCauses else { continue }
      for part in [key] + change.absorbed { places[part] = causes.count }
      causes.append(CauseDifference(signature: key, name: change.name))
    }
    guard !causes.isEmpty else { return [] }
    var all = CauseDifference(name: "All causes")
    for (isNew, stores, side) in [(false, base, comparison.base), (true, new, comparison.new)] {
      guard side.loopSeconds > 0 else { continue }
      var folding = DifferenceFolding(causes: causes.count, places: places)
      for store in stores { try folding.add(store.contents, search: search) }
      for (place, tree) in folding.trees.enumerated() {
        causes[place].add(tree, isNew: isNew, scale: 3_600 / side.loopSeconds)
        all.add(tree, isNew: isNew, scale: 3_600 / side.loopSeconds)
      }
    }
    var trees = ([all] + causes).filter { $0.whole > 0 }
    for place in trees.indices { trees[place].prune() }
    return trees
  }
}

/// The call trees of one side's causes.
private struct DifferenceFolding {
  private(set) var trees: [CallTree]
  private let places: [String: Int]
  private var known: Set<OriginalSession> = []

  init(causes: Int, places: [String: Int]) {
    trees = Array(repeating: CallTree(), count: causes)
    self.places = places
  }

  mutating func add<Contents: StoreContents>(_ contents: Contents, search: SymbolSearch) throws {
    let stacks = StackReader(contents, search: search)
    var taken: Set<Int64> = []
    for session in try contents.sessions() where known.insert(OriginalSession(session)).inserted {
      taken.insert(session.id)
    }
    // Most samples repeat a stack, and walking a tree is slow.
    var (session, weights): (Int64?, [Int: [[UInt64]: Nanoseconds]]) = (nil, [:])
    func plant(_ trees: inout [CallTree]) throws {
      guard let session else { return }
      for (place, stacked) in weights {
        for (addresses, weight) in stacked {
          let frames = try stacks.frames(addresses, session: session)
          trees[place].add(FoldedStack.inside(frames).frames, weight: weight)
        }
      }
      weights = [:]
    }
    try contents.forEachSampledStall { stall, samples in
      guard taken.contains(stall.session), stall.state != .cancelled, stall.began.kind != .congestion,
        let key = try stacks.analysis(of: samples, session: stall.session)?.signature?.key, let place = places[key]
      else { return }
      if session != stall.session || weights.values.reduce(0, { $0 + $1.count }) > 10_000 {
        try plant(&trees)
        session = stall.session
      }
      for sample in samples { weights[place, default: [:]][sample.frames, default: 0] &+= sample.weight }
    }
    try plant(&trees)
  }
}
