import StallwatchSymbols
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

@Suite("A call tree as a table")
struct CallTreeTableTests {
  private func tree(_ stacks: [(path: String, weight: UInt64)]) -> CallTree {
    var tree = CallTree()
    for (path, weight) in stacks {
      let frames = path.split(separator: " ").reversed().map { Frame(name: String($0), image: "/app", offset: 1) }
      tree.add(frames, weight: weight)
    }
    tree.prune(below: 0)
    return tree
  }

  private func functions(_ tree: CallTree, rows: Int) -> [String] {
    CallTreeTable.table(tree, rows: rows).0.rows.map { $0[2].text }
  }

  @Test("begins a branch at each of several calls, so that what one of them called is not taken for another of them")
  func branches() {
    let tree = tree([("main a b x", 500), ("main a b y z", 400), ("main a d", 50), ("main a", 50)])
    #expect(functions(tree, rows: 20) == ["main", "a", "├ b", "│ ├ x", "│ └ y", "│   z", "└ d"])
  }

  @Test("begins none where only one call is shown")
  func leftOut() {
    let tree = tree([("main a b", 500), ("main a d", 50), ("main a e", 40), ("main a f", 30)])
    let (table, left) = CallTreeTable.table(tree, rows: 3)
    #expect(table.rows.map { $0[2].text } == ["main", "a", "b"])
    #expect(left == 3)
  }

  @Test("marks roots, too, and shows the first calls where many have one weight")
  func roots() {
    let tree = tree([("a b c d e f", 10), ("g", 9)])
    #expect(functions(tree, rows: 3) == ["a", "b", "c"])
    #expect(functions(tree, rows: 7) == ["├ a", "│ b", "│ c", "│ d", "│ e", "│ f", "└ g"])
  }
}
