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

  /// The stack of the thread that owned the lock longest, leaf first; empty where there is none.
  package var ownerFrames: [Frame] {
    guard let owner = listed.analysis?.blockedOn?.owner else { return [] }
    return samples.first { $0.sample.blockedOn?.owner == owner }?.ownerFrames ?? []
  }

  /// The stall in whole sentences.
  package var verdict: StallVerdict { StallVerdict(self) }
}
