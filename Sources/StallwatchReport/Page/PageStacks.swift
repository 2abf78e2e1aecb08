import StallwatchCore
import StallwatchSymbols

/// All stacks of a page, each once: a tree in which a stack is its innermost function's node.
///
/// Bounded: once it is full, a new stack ends at the innermost function that is there already, so that its time is kept
/// and only its innermost functions are lost.
package struct PageStacks: Sendable {
  /// A function at a place in the source.
  package struct Function: Sendable, Hashable {
    /// Its name, or its address where the name is unknown.
    package var label: String
    /// File and line; nil where the line is unknown.
    package var place: String?
    /// Whether it is system code (`SystemCode`).
    package var isSystem: Bool
  }

  /// A function on a call path.
  package struct Node: Sendable, Hashable {
    /// The node of its caller; ``none`` for what the run loop called.
    package var caller: Int
    /// Its place in ``functions``.
    package var function: Int
  }

  /// The node of a stack without a function: none could be read.
  package static let none = 0

  /// The node that stands for stacks that share no function, or for which there is no room.
  package static let many = 1

  /// Every function once, and what ``many`` is called.
  package private(set) var functions = [Function(label: "many functions", place: nil, isSystem: true)]
  /// The nodes, each after its caller. The first, ``none``, is no function.
  package private(set) var nodes = [Node(caller: 0, function: 0), Node(caller: 0, function: 0)]
  private var functionNumbers: [Function: Int] = [:]
  private var nodeNumbers: [Node: Int] = [:]
  private let mostNodes: Int

  /// The most levels of calls, as in a ``CallTree``.
  private static let deepest = 200

  /// A table of at most so many nodes.
  init(mostNodes: Int) { self.mostNodes = mostNodes }

  /// The node of a stack, leaf first, without glue (`Frame.isGlue`), and whether it is the whole stack.
  mutating func node(of frames: some BidirectionalCollection<Frame>) -> (node: Int, isWhole: Bool) {
    let written = frames.reversed().filter { !$0.isGlue }
    var place = Self.none
    for frame in written.prefix(Self.deepest) {
      guard let function = number(of: frame) else { return (max(place, Self.many), false) }
      let node = Node(caller: place, function: function)
      if let known = nodeNumbers[node] {
        place = known
      } else if nodes.count < mostNodes {
        nodeNumbers[node] = nodes.count
        place = nodes.count
        nodes.append(node)
      } else {
        return (max(place, Self.many), false)
      }
    }
    return (place, written.count <= Self.deepest)
  }

  /// The innermost function that two stacks share; ``many`` where they share none.
  func common(_ left: Int, _ right: Int) -> Int {
    var (left, right) = (left, right)
    // A caller's number is smaller than that of what it called.
    while left != right {
      if left > right { left = nodes[left].caller } else { right = nodes[right].caller }
    }
    return max(left, Self.many)
  }

  /// The place of the frame's function; nil where the function is new and no node has room for it.
  private mutating func number(of frame: Frame) -> Int? {
    let place = frame.location.flatMap { $0.line == nil ? nil : $0.label }
    let function = Function(label: frame.label, place: place, isSystem: frame.isSystem)
    if let known = functionNumbers[function] { return known }
    guard nodes.count < mostNodes else { return nil }
    functionNumbers[function] = functions.count
    functions.append(function)
    return functions.count - 1
  }
}
