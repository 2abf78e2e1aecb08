import StallwatchCore
import StallwatchStore

/// What kept a loop busy, from `record --profile`: waiting is left out.
public struct LoopProfile: Sendable {
  /// The loop's row.
  public var loop: Int64
  /// How many samples were taken.
  public var count: UInt64
  /// The busy time that they stand for.
  public var weight: Nanoseconds
  /// Where that time went.
  public var tree: CallTree
}

extension LoopProfile {
  /// Less than this share of a loop's busy time is left out of its tree.
  static let smallestShare = 0.01

  /// The profile of a loop; nil where it was not profiled.
  init?<Contents: StoreContents>(_ loop: StoredLoop, in contents: Contents, stacks: StackReader<Contents>) throws {
    let seen = try contents.profile(loop: loop.id)
    guard !seen.isEmpty else { return nil }
    self.init(
      loop: loop.id, count: seen.map(\.count).saturatingSum(), weight: seen.map(\.weight).saturatingSum(),
      tree: CallTree())
    for stack in seen {
      let frames = try stacks.frames(stack.frames, session: loop.session)
      tree.add(FoldedStack.inside(frames).frames, weight: stack.weight)
    }
    tree.prune(below: Self.smallestShare)
  }
}
