import StallwatchCore
import StallwatchStore

/// Folds the samples of the signatures with the most time into call trees.
struct CauseFolding<Contents: StoreContents> {
  /// A sampled stack of one session.
  private struct Stack: Hashable {
    var session: Int64
    var addresses: [UInt64]
  }

  /// A stall's row, and the index of its signature.
  private struct Member {
    var stall: Int64
    var cause: Int
  }

  private let stacks: StackReader<Contents>
  private let causes: [SignatureReport]
  private let places: [Signature: Int]
  private var trees: [CallTree]
  /// Time by stack, not yet in a tree: most samples repeat a stack, and walking a tree is slow.
  private var weights: [[Stack: Nanoseconds]]
  private var members: [Member] = []
  /// The most stacks held over all signatures before they go into the trees, 1 KB each at most.
  private static var heldStacks: Int { 20_000 }
  private var held = 0

  /// A folding of these signatures.
  init(_ causes: [SignatureReport], merged: [Signature: Signature], stacks: StackReader<Contents>) {
    self.stacks = stacks
    self.causes = causes
    let places = Dictionary(causes.enumerated().map { ($1.signature, $0) }, uniquingKeysWith: { first, _ in first })
    self.places = places.merging(merged.compactMapValues { places[$0] }) { whole, _ in whole }
    trees = Array(repeating: CallTree(), count: causes.count)
    weights = Array(repeating: [:], count: causes.count)
  }

  /// Takes in a sampled stall if it has one of the signatures. Throws what the contents throw.
  mutating func add(_ stall: StoredStall, _ samples: [StackSample]) throws {
    guard stall.state != .cancelled,
      let signature = try stacks.analysis(of: samples, session: stall.session)?.signature,
      let place = places[signature]
    else { return }
    members.append(Member(stall: stall.id, cause: place))
    for sample in samples {
      let stack = Stack(session: stall.session, addresses: sample.frames)
      if weights[place][stack] == nil { held += 1 }
      weights[place][stack, default: 0] &+= sample.weight
    }
    if held > Self.heldStacks { try plant() }
  }

  /// The signatures with their trees and the timers that their stalls hurt. A tree has at most `mostFunctions`.
  mutating func folded(timers: [TimerReport], mostFunctions: Int) throws -> [CauseDetail] {
    try plant()
    members.sort { $0.stall < $1.stall }
    let hurt = timers.map { counts(of: $0) }
    return causes.indices.map { place in
      let leftOut = trees[place].prune(toAtMost: mostFunctions)
      let timers = zip(timers, hurt).compactMap { timer, counts in
        counts[place].map { CauseDetail.HurtTimer(timer: timer.timer.id, title: timer.title, stalls: $0) }
      }
      return CauseDetail(
        report: causes[place], tree: trees[place], leftOutShare: leftOut,
        timers: timers.sorted { ($0.stalls, $1.timer) > ($1.stalls, $0.timer) })
    }
  }

  private mutating func plant() throws {
    for place in weights.indices {
      // Session by session, to read each session's images only once.
      for (stack, weight) in weights[place].sorted(by: { $0.key.session < $1.key.session }) {
        let frames = try stacks.frames(stack.addresses, session: stack.session)
        trees[place].add(FoldedStack.inside(frames).frames, weight: weight)
      }
      weights[place] = [:]
    }
    held = 0
  }

  /// How many stalls of each signature hurt a timer.
  private func counts(of timer: TimerReport) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for stall in timer.timer.stalls.rows {
      if let cause = cause(of: stall) { counts[cause, default: 0] += 1 }
    }
    return counts
  }

  private func cause(of stall: Int64) -> Int? {
    let place = members.partitioningIndex { $0.stall >= stall }
    return place < members.count && members[place].stall == stall ? members[place].cause : nil
  }
}
