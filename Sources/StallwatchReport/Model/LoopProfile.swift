import StallwatchCore
import StallwatchStore

/// Where a loop's busy time went, from `record --profile`. Waiting is left out.
package struct LoopProfile: Sendable {
  /// The loop's row.
  package var loop: Int64
  /// The number of samples.
  package var count: UInt64
  /// The busy time that the samples stand for.
  package var weight: Nanoseconds
  /// That time by call path.
  package var tree: CallTree
}

extension LoopProfile {
  /// The smallest share of a loop's busy time that its tree shows.
  static let smallestShare = 0.01

  /// The profile of a loop; nil where it has no samples. Throws what `contents` throws.
  package init?<Contents: StoreContents>(_ loop: StoredLoop, in contents: Contents, stacks: StackReader<Contents>)
    throws
  {
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
