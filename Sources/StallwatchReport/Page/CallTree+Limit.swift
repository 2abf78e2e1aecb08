import StallwatchCore

extension CallTree {
  /// How many functions it has, each counted once on each call path.
  var functionCount: Int { Self.count(roots) }

  /// Puts the heaviest first, and leaves out the lightest until at most `limit` functions are left. Returns the share of
  /// the whole below which they were left out. Call once, at the end.
  mutating func prune(toAtMost limit: Int) -> Double {
    // A thousandth of the whole is a pixel or two on a wide screen.
    var share = 0.001
    prune(below: share)
    while functionCount > limit, share < 1 {
      share *= 1.5
      prune(below: share)
    }
    return share
  }

  private static func count(_ nodes: [Node]) -> Int { nodes.reduce(nodes.count) { $0 + count($1.children) } }
}
