import StallwatchCore
import StallwatchSymbols

/// Time by call path: each function with the functions that it called.
package struct CallTree: Sendable {
  /// A function on one call path.
  package struct Node: Sendable {
    /// Its name, or its address where the name is unknown.
    package var label: String
    /// The executable or library.
    package var image: String?
    /// Whether it is system code (`SystemCode`).
    package var isSystem: Bool
    /// The time spent in it and in what it called.
    package var weight: Nanoseconds = 0
    /// The time by place in the source where the function stood.
    var places: [SourceLocation: Nanoseconds] = [:]
    /// The functions it called, heaviest first.
    package var children: [Node] = []

    /// The place with the most time; nil where no line is known.
    package var location: SourceLocation? {
      places.max { ($0.value, $1.key.label) < ($1.value, $0.key.label) }?.key
    }
  }

  /// The time of all stacks, including unreadable ones.
  package private(set) var total: Nanoseconds = 0
  /// The functions that the run loop called, heaviest first.
  package private(set) var roots: [Node] = []
  /// The time for which no stack was read.
  private var unread: Nanoseconds = 0

  /// The share of the time for which no stack was read; nil where all were.
  package var unreadShare: Double? { unread > 0 ? Double(unread) / Double(total) : nil }

  /// The most levels of calls. Deeper calls count for the last function above: nobody reads further, and common JSON
  /// readers refuse a document nested deeper.
  private static let deepest = 200

  /// An empty tree.
  package init() {}

  /// Adds a stack, leaf first, that stands for `weight`. Leaves out glue (`Frame.isGlue`).
  mutating func add(_ frames: some BidirectionalCollection<Frame>, weight: Nanoseconds) {
    total = total.saturatingAdd(weight)
    let written = frames.reversed().filter { !$0.isGlue }
    if written.isEmpty { unread = unread.saturatingAdd(weight) }
    Self.add(written.prefix(Self.deepest), weight: weight, to: &roots)
  }

  /// Sorts the heaviest first and drops functions lighter than `share` of the total. Call once, at the end.
  mutating func prune(below share: Double) {
    Self.prune(&roots, below: Nanoseconds(Double(total) * share))
  }

  private static func add(_ frames: ArraySlice<Frame>, weight: Nanoseconds, to nodes: inout [Node]) {
    guard let frame = frames.first else { return }
    let label = frame.label
    var index = nodes.firstIndex { $0.label == label && $0.image == frame.image }
    if index == nil {
      index = nodes.count
      nodes.append(Node(label: label, image: frame.image, isSystem: frame.isSystem))
    }
    guard let index else { return }
    nodes[index].weight = nodes[index].weight.saturatingAdd(weight)
    if let place = frame.location, place.line != nil { nodes[index].places[place, default: 0] &+= weight }
    add(frames.dropFirst(), weight: weight, to: &nodes[index].children)
  }

  private static func prune(_ nodes: inout [Node], below limit: Nanoseconds) {
    nodes.removeAll { $0.weight < limit }
    nodes.sort { ($1.weight, $0.label) < ($0.weight, $1.label) }
    for index in nodes.indices { prune(&nodes[index].children, below: limit) }
  }
}
