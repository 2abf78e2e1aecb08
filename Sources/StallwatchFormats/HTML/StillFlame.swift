import StallwatchReport

/// A flame graph that needs no script: nothing in it can be zoomed.
package enum StillFlame {
  /// A function on one call path.
  package struct Node {
    package var label: String
    /// What the pointer shows.
    package var title: String
    package var weight: Double
    /// In CSS.
    package var color: String
    package var children: [Node]

    /// Sets every property as given.
    package init(label: String, title: String, weight: Double, color: String, children: [Node] = []) {
      (self.label, self.title, self.weight) = (label, title, weight)
      (self.color, self.children) = (color, children)
    }
  }

  /// What the page's style lacks.
  package static let style = """
    .difference { position: relative; overflow: hidden; border: 1px solid var(--line); background: var(--ground); }
    .difference span {
      position: absolute; height: 21px; padding: 0 3px; box-shadow: inset -1px 0 var(--ground); overflow: hidden;
      font: 12px/21px ui-monospace, "SF Mono", Menlo, Consolas, monospace; white-space: nowrap; text-overflow: ellipsis;
      color: var(--flame-text);
    }
    .difference span.narrow { padding: 0; text-indent: 100%; }
    .difference span:hover { outline: 2px solid var(--text); outline-offset: -2px; }

    """

  private static let row = 22

  /// The graph of these paths, which together are as wide as `whole`. What is too narrow to see is left out.
  package static func html(_ roots: [Node], whole: Double, label: String) -> String {
    var (spans, deepest) = ("", 0)
    func put(_ node: Node, left: Double, width: Double, level: Int) {
      guard width >= 0.05 else { return }
      deepest = max(deepest, level)
      spans += "<span\(width < 1 ? " class=\"narrow\"" : "") title=\"\(HTMLText.name(node.title))\" style=\""
      spans += "left:\(HTMLText.number(left))%;width:\(HTMLText.number(width))%;top:\(level * row)px;"
      spans += "background:\(node.color)\">\(HTMLText.name(node.label))</span>"
      below(node.children, left: left, width: width, whole: node.weight, level: level + 1)
    }
    func below(_ nodes: [Node], left: Double, width: Double, whole: Double, level: Int) {
      var at = left
      for node in nodes {
        let part = whole > 0 ? width * node.weight / whole : 0
        put(node, left: at, width: part, level: level)
        at += part
      }
    }
    below(roots, left: 0, width: 100, whole: whole, level: 0)
    return "<div class=\"difference\" role=\"img\" aria-label=\"\(HTMLText.name(label))\" "
      + "style=\"height:\((deepest + 1) * row)px\">\(spans)</div>\n"
  }
}
