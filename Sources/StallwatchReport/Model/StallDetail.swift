import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// One stall with its samples, for `show`.
package struct StallDetail: Sendable {
  /// One look at the held thread, with function names.
  package struct Sample: Sendable {
    package var sample: StackSample
    /// The thread's stack, leaf first.
    package var frames: [Frame]
    /// The stack of the lock's owner, leaf first; empty where there is none.
    package var ownerFrames: [Frame]
  }

  /// The stall, its loop and session, and its analysis.
  package var listed: ListedStall
  /// Its samples in time order.
  package var samples: [Sample]
  /// Its watched time by call path, from what the run loop called.
  package var tree: CallTree
  /// The timers it hurt, the worst lateness first, with their titles.
  package var timers: [(title: String, hurt: StoredStallTimer)] = []
  /// The function that the item which waited first was to run; nil where that is not known, or the stall is no wait.
  package var waiter: Frame?
  /// Images whose functions are shown as addresses, and why.
  package var symbolNotes: [SymbolNote]

  /// The innermost own function that holds more than half of the time; nil where there is none.
  package var mainFunction: CallTree.Node? {
    var found: CallTree.Node?
    var nodes = tree.roots
    while let node = nodes.first, node.weight > tree.total / 2 {
      if !node.isSystem { found = node }
      nodes = node.children
    }
    return found
  }

  /// The innermost own function of each sample, with its share of the watched time, the largest first: of a pool, all that
  /// it served. Without samples that show one, none.
  package var ownFunctions: [(frame: Frame, share: Double)] {
    var times: [String: (frame: Frame, time: Nanoseconds)] = [:]
    for sample in samples {
      guard let own = FoldedStack.inside(sample.frames).frames.first(where: { !$0.isSystem && !$0.isGlue }) else {
        continue
      }
      times[own.label, default: (own, 0)].time += sample.sample.weight
    }
    let whole = max(samples.map(\.sample.weight).reduce(0, +), 1)
    return times.values.sorted { ($0.time, $1.frame.label) > ($1.time, $0.frame.label) }
      .map { ($0.frame, Double($0.time) / Double(whole)) }
  }

  /// The stack of the thread that owned the lock longest, leaf first; empty where there is none.
  package var ownerFrames: [Frame] {
    guard let owner = listed.analysis?.blockedOn?.owner else { return [] }
    return samples.first { $0.sample.blockedOn?.owner == owner }?.ownerFrames ?? []
  }

  /// The stall in whole sentences.
  package var verdict: StallVerdict { StallVerdict(self) }
}
