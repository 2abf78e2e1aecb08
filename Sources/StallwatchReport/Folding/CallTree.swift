import StallwatchCore

/// Time by call path: each function with the functions that it called.
public struct CallTree: Sendable {
  /// A function on one call path.
  public struct Node: Sendable {
    /// Its name, or its address.
    public var label: String
    /// The executable or library.
    public var image: String?
    /// Whether it is the system's code.
    public var isSystem: Bool
    /// The time that was spent in it and in what it called.
    public var weight: Nanoseconds = 0
    /// The places in the source at which it stood, by time.
    var places: [SourceLocation: Nanoseconds] = [:]
    /// What it called, heaviest first.
    public var children: [Node] = []

    /// Where it stood for the most time; nil where no line is known.
    public var location: SourceLocation? {
      places.max { ($0.value, $1.key.label) < ($1.value, $0.key.label) }?.key
    }
  }

  /// The time of all stacks, also of those that could not be read.
  public private(set) var total: Nanoseconds = 0
  /// What the run loop called, heaviest first.
  public private(set) var roots: [Node] = []

  /// Calls that lie deeper than this are counted for the last function above: nobody reads further, and a document nested
  /// deeper is refused by common readers of JSON.
  private static let deepest = 200

  /// A tree without time.
  public init() {}

  /// Adds a stack, leaf first, that stands for `weight`. Frames that the compiler put between functions are left out.
  mutating func add(_ frames: some BidirectionalCollection<Frame>, weight: Nanoseconds) {
    total = total.saturatingAdd(weight)
    let written = frames.reversed().filter { !$0.isGlue }
    Self.add(written.prefix(Self.deepest), weight: weight, to: &roots)
  }

  /// Puts the heaviest first, and leaves out what is lighter than `share` of the whole. Call once, at the end.
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
