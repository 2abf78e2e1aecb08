import StallwatchCore
import StallwatchReport

/// What loops did in their busy time, as far as they were profiled. A profile has no time: its calls are laid end to
/// end from the session's start, heaviest first, on a track that says so.
struct PerfettoProfile {
  let tree: CallTree

  /// The calls as nested slices from `start` on.
  func slices(from start: Nanoseconds) -> [PerfettoEvent] {
    var events: [PerfettoEvent] = []
    Self.add(tree.roots, from: start, to: &events)
    return events
  }

  private static func add(_ nodes: [CallTree.Node], from start: Nanoseconds, to events: inout [PerfettoEvent]) {
    var at = start
    for node in nodes {
      let end = at.saturatingAdd(node.weight)
      events.append(.slice(node.label, category: "profile", from: at, to: end, arguments: []))
      add(node.children, from: at, to: &events)
      at = end
    }
  }
}
