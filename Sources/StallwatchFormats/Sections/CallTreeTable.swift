import StallwatchCore
import StallwatchReport

/// A call tree as table rows: each function below its caller. Where a function made several calls, a branch begins at
/// each of them, and what it called in turn stands below it on the same branch.
enum CallTreeTable {
  private static let columns: [Table.Column] = [
    .figure("share"), .figure("time"), .name("function"), .name("source"),
  ]
  /// The most columns that branches take. Names need the room beyond them.
  private static let widestBranches = 12

  /// The heaviest `rows` functions of a tree, in its order, and the number left out.
  static func table(_ tree: CallTree, rows limit: Int) -> (Table, left: Int) {
    let weights = weights(tree.roots)
    let lightest = weights.sorted(by: >).dropFirst(limit).first
    let heavier = weights.count { weight in lightest.map { weight > $0 } ?? true }
    // Where many functions share one weight, show the first ones, which are nearest to the callout.
    var chosen = Chosen(lightest: heavier >= limit / 2 ? lightest : nil, most: limit)
    let rows = rows(chosen.take(tree.roots), branches: "")
    let cells = rows.map { row -> [Table.Cell] in
      let share = tree.total > 0 ? Double(row.node.weight) / Double(tree.total) : nil
      return [
        Table.Cell(Figure.share(share)), Table.Cell(Figure.duration(row.node.weight)),
        Table.Cell(
          row.branches.suffix(widestBranches) + DisplayText.name(row.node.label),
          tone: row.node.isSystem ? .faint : .plain),
        Table.Cell(row.node.location?.label ?? row.node.imageName),
      ]
    }
    return (Table(columns: columns, rows: cells), weights.count - rows.count)
  }

  private struct Row {
    var node: CallTree.Node
    var branches: String
  }

  /// Takes the nodes that are shown: those heavier than `lightest`, or the first ones of the tree.
  private struct Chosen {
    var lightest: UInt64?
    var most: Int

    mutating func take(_ nodes: [CallTree.Node]) -> [CallTree.Node] {
      nodes.compactMap { node in
        guard lightest.map({ node.weight > $0 }) ?? (most > 0) else { return nil }
        most -= 1
        var shown = node
        shown.children = take(node.children)
        return shown
      }
    }
  }

  private static func weights(_ nodes: [CallTree.Node]) -> [UInt64] {
    nodes.flatMap { [$0.weight] + weights($0.children) }
  }

  /// The rows of calls that one function made; `branches` leads up to that function.
  private static func rows(_ calls: [CallTree.Node], branches: String) -> [Row] {
    guard calls.count > 1 else {
      return calls.flatMap { [Row(node: $0, branches: branches)] + rows($0.children, branches: branches) }
    }
    return calls.enumerated().flatMap { place, call in
      let isLast = place == calls.count - 1
      return [Row(node: call, branches: branches + (isLast ? "└ " : "├ "))]
        + rows(call.children, branches: branches + (isLast ? "  " : "│ "))
    }
  }
}

extension CallTree.Node {
  /// The image's file name; empty where there is none.
  var imageName: String { image?.split(separator: "/").last.map(String.init) ?? "" }
}
