import StallwatchCore
import StallwatchReport

/// Flame graphs of the difference between two sides: as wide as the time of both together, red where there is more of
/// it now, blue where there is less (Gregg, "Differential flame graphs", 2014).
enum DifferenceHTML {
  /// What the page's style lacks.
  static let style = """
    :root { --more: #f28b82; --less: #8ab4f8; --even: #e3e7eb; }
    @media (prefers-color-scheme: dark) { :root { --more: #b3392f; --less: #2f5fb3; --even: #35404c; } }
    \(StillFlame.style).legend i { width: 14px; height: 14px; display: inline-block; }

    """

  /// The most functions below a graph in words.
  private static let listed = 8

  /// All causes together, then each; nothing where no stack was read.
  static func html(_ trees: [CauseDifference], _ comparison: Comparison) -> String {
    guard !trees.isEmpty else { return "" }
    var html = "<section id=\"difference\" aria-labelledby=\"difference-title\">"
    html += "<h2 id=\"difference-title\">Where the time went</h2>\n"
    html +=
      "<p class=\"note\">Width is time held per hour of watched time, before and now together. Callers stand above "
    html += "what they call.</p>\n<p class=\"legend\">"
    for (name, color) in [("more now", "more"), ("less now", "less"), ("the same", "even")] {
      html += "<span><i style=\"background:var(--\(color))\"></i>\(name)</span>"
    }
    html += "</p>\n"
    for (place, tree) in trees.enumerated() { html += self.html(tree, comparison, isOpen: place < 2) }
    return html + "</section>\n"
  }

  private static func html(_ tree: CauseDifference, _ comparison: Comparison, isOpen: Bool) -> String {
    let verdicts = comparison.findings.filter { $0.signature != nil && $0.signature == tree.signature }.map(\.verdict)
    let verdict = verdicts.first.map { verdict in
      "<span class=\"\(verdict.isRegression ? "alarm" : "notice")\">\(verdict.rawValue)</span> "
    }
    var html = "<details class=\"cause\"\(isOpen ? " open" : "")>\n<summary>\(verdict ?? "")"
    html += "<b>\(HTMLText.name(tree.name))</b>: \(HTMLText.escaped(words(tree.base, tree.new)))</summary>\n<div>\n"
    html += graph(tree) + list(tree)
    return html + "</div></details>\n"
  }

  private static func graph(_ tree: CauseDifference) -> String {
    StillFlame.html(
      tree.roots.map(flame), whole: tree.whole,
      label:
        "Flame graph of the difference of \(DisplayText.name(tree.name)); the functions that changed most are listed "
        + "below")
  }

  private static func flame(_ node: CauseDifference.Node) -> StillFlame.Node {
    let place = node.place.map { " at \($0)" } ?? ""
    return StillFlame.Node(
      label: node.label, title: "\(node.label)\(place): \(words(node.base, node.new))", weight: node.whole,
      color: color(node), children: node.children.map(flame))
  }

  /// Red and blue grow with the share of the time that is on one side alone.
  private static func color(_ node: CauseDifference.Node) -> String {
    guard node.whole > 0 else { return "var(--even)" }
    let difference = (node.new - node.base) / node.whole
    let share = HTMLText.number(min(difference.magnitude * 1.5, 1) * 100)
    return "color-mix(in srgb, var(--\(difference > 0 ? "more" : "less")) \(share)%, var(--even))"
  }

  /// The functions whose own time changed most.
  private static func list(_ tree: CauseDifference) -> String {
    var own: [String: (base: Double, new: Double)] = [:]
    func add(_ node: CauseDifference.Node) {
      let (base, new) = node.children.reduce((node.base, node.new)) { ($0.0 - $1.base, $0.1 - $1.new) }
      own[node.label, default: (0, 0)].base += max(base, 0)
      own[node.label, default: (0, 0)].new += max(new, 0)
      node.children.forEach(add)
    }
    tree.roots.forEach(add)
    let changed = own.filter { ($0.value.new - $0.value.base).magnitude >= tree.whole / 200 }.sorted { one, other in
      let changes = [one, other].map { ($0.value.new - $0.value.base).magnitude }
      return (changes[1], one.key) < (changes[0], other.key)
    }
    guard !changed.isEmpty else { return "" }
    var table = Table(columns: [.name("function, by itself"), .figure("before, an hour"), .figure("now")])
    for (label, time) in changed.prefix(listed) {
      table.rows.append([
        Table.Cell(DisplayText.name(label)), Table.Cell(hourly(time.base)), Table.Cell(hourly(time.new)),
      ])
    }
    return HTMLSection.table(table, label: "Functions that changed most")
  }

  /// `1.20 s in an hour before, 2.40 s now (× 2.0)`.
  private static func words(_ base: Double, _ new: Double) -> String {
    let change = base > 0 && new > 0 ? " (\(ComparisonWords.factor(new / base)))" : ""
    return "\(hourly(base)) in an hour before, \(hourly(new)) now\(change)"
  }

  private static func hourly(_ time: Double) -> String {
    time < 1 ? "none" : Figure.duration(Nanoseconds(min(time, 1e18)))
  }
}
