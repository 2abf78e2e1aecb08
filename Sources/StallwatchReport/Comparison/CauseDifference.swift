import StallwatchCore

/// Where the time of a cause went on both sides of a comparison, by call path. Times are in nanoseconds per hour of
/// watched loop time, so that sides of different lengths can be laid over each other.
package struct CauseDifference: Sendable {
  /// A function on one call path.
  package struct Node: Sendable {
    package var label: String
    /// Its place in the source with the most time; nil where no line is known.
    package var place: String?
    package var isSystem: Bool
    package var base = 0.0
    package var new = 0.0
    /// The functions it called, the one with the most time on both sides first.
    package var children: [Node] = []

    /// Both sides together.
    package var whole: Double { base + new }
  }

  /// The cause's key; nil for all of them together.
  package var signature: String?
  /// What texts call it.
  package var name: String
  package var base = 0.0
  package var new = 0.0
  package var roots: [Node] = []

  /// Both sides together.
  package var whole: Double { base + new }

  /// Adds a side's call tree, each of whose nanoseconds counts for `scale`.
  mutating func add(_ tree: CallTree, isNew: Bool, scale: Double) {
    if isNew { new += Double(tree.total) * scale } else { base += Double(tree.total) * scale }
    Self.add(tree.roots, to: &roots, isNew, scale)
  }

  private static func add(_ nodes: [CallTree.Node], to known: inout [Node], _ isNew: Bool, _ scale: Double) {
    for node in nodes {
      let place = known.firstIndex { $0.label == node.label && $0.isSystem == node.isSystem } ?? known.count
      if place == known.count {
        known.append(Node(label: node.label, place: node.location?.label, isSystem: node.isSystem))
      }
      if isNew {
        known[place].new += Double(node.weight) * scale
      } else {
        known[place].base += Double(node.weight) * scale
      }
      add(node.children, to: &known[place].children, isNew, scale)
    }
  }

  /// Sorts the heaviest first, and drops what is too narrow to see.
  mutating func prune() { Self.prune(&roots, below: whole / 1_000) }

  private static func prune(_ nodes: inout [Node], below least: Double) {
    nodes.removeAll { $0.whole < least }
    nodes.sort { ($1.whole, $0.label) < ($0.whole, $1.label) }
    for place in nodes.indices { prune(&nodes[place].children, below: least) }
  }
}
