import StallwatchCore
import StallwatchStore

/// One stall from the inside: what `show` tells.
public struct StallDetail: Sendable {
  /// One look at the held thread, with its functions.
  public struct Sample: Sendable {
    /// What was recorded.
    public var sample: StackSample
    /// The thread's stack, leaf first.
    public var frames: [Frame]
    /// The stack of the thread that held the lock, leaf first; empty where there is no such thread.
    public var ownerFrames: [Frame]
  }

  /// The stall, its place and what its samples say.
  public var listed: ListedStall
  /// Its samples, in the order of time.
  public var samples: [Sample]
  /// Where its watched time went, from what the run loop called on.
  public var tree: CallTree
  /// The timers that it hurt, worst lateness first, by what a text calls them.
  public var timers: [(title: String, hurt: StoredStallTimer)] = []
  /// Images whose functions are shown as addresses, and why.
  public var symbolNotes: [SymbolNote]

  /// The program's own function that took the most time, at its place; nil where none holds more than half of it.
  public var mainFunction: CallTree.Node? {
    var found: CallTree.Node?
    var nodes = tree.roots
    while let node = nodes.first, node.weight > tree.total / 2 {
      if !node.isSystem { found = node }
      nodes = node.children
    }
    return found
  }

  /// The stack of the thread that held the lock for the most time, leaf first; empty where there is no such thread.
  public var ownerFrames: [Frame] {
    guard let owner = listed.analysis?.blockedOn?.owner else { return [] }
    return samples.first { $0.sample.blockedOn?.owner == owner }?.ownerFrames ?? []
  }

  /// What happened, in whole sentences.
  public var verdict: StallVerdict { StallVerdict(self) }
}
