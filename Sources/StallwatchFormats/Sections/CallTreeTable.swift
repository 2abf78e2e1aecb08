import StallwatchCore
import StallwatchReport

/// A call tree as table rows: each function below its caller, indented where the caller made several calls.
enum CallTreeTable {
  private static let columns: [Table.Column] = [
    .figure("share"), .figure("time"), .name("function"), .name("source"),
  ]
  /// The deepest indentation. Names need the room beyond it.
  private static let deepestIndent = 12

  /// The heaviest `rows` functions of a tree, in its order, and the number left out.
  static func table(_ tree: CallTree, rows limit: Int) -> (Table, left: Int) {
    var rows: [Row] = []
    collect(tree.roots, depth: 0, into: &rows)
    let lightest = rows.map(\.node.weight).sorted(by: >).dropFirst(limit).first
    let shown = rows.filter { row in lightest.map { row.node.weight > $0 } ?? true }
    // Where many functions share one weight, show the first ones, which are nearest to the callout.
    let chosen = shown.count >= limit / 2 ? shown : Array(rows.prefix(limit))
    let cells = chosen.map { row -> [Table.Cell] in
      let share = tree.total > 0 ? Double(row.node.weight) / Double(tree.total) : nil
      let indent = String(repeating: " ", count: min(row.depth, deepestIndent))
      return [
        Table.Cell(Figure.share(share)), Table.Cell(Figure.duration(row.node.weight)),
        Table.Cell(indent + DisplayText.name(row.node.label), tone: row.node.isSystem ? .faint : .plain),
        Table.Cell(row.node.location?.label ?? row.node.imageName),
      ]
    }
    return (Table(columns: columns, rows: cells), rows.count - chosen.count)
  }

  private struct Row {
    var node: CallTree.Node
    var depth: Int
  }

  private static func collect(_ nodes: [CallTree.Node], depth: Int, into rows: inout [Row]) {
    for node in nodes {
      rows.append(Row(node: node, depth: depth))
      collect(node.children, depth: depth + (node.children.count > 1 ? 2 : 0), into: &rows)
    }
  }
}

extension CallTree.Node {
  /// The image's file name; empty where there is none.
  var imageName: String { image?.split(separator: "/").last.map(String.init) ?? "" }
}
