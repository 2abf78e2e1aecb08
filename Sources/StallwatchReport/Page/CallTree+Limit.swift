import StallwatchCore

extension CallTree {
  /// The number of functions, each counted once per call path.
  var functionCount: Int { Self.count(roots) }

  /// Sorts the heaviest first and drops the lightest until at most `limit` functions are left. Returns the share of the
  /// total below which functions were dropped. Call once, at the end.
  mutating func prune(toAtMost limit: Int) -> Double {
    // A thousandth of the total is a pixel or two on a wide screen.
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
