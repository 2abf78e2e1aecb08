import Foundation
import StallwatchFormats
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// Asks a store all that the command's verbs ask, in every format.
struct EveryVerb {
  /// A question that has an answer, or an error that says why there is none.
  struct Question {
    var name: String
    var ask: () throws -> Void
  }

  let questions: [Question]

  /// Questions about the store at `path`; `good` is another one, and `target` where both can be merged into.
  init(_ path: String, good: String, target: String) {
    let sink: TextSink = { _ in }
    let open = { try StoreReader(path: path) }
    var questions: [Question] = []
    func add(_ name: String, _ ask: @escaping () throws -> Void) { questions.append(Question(name: name, ask: ask)) }
    add("report text, json, markdown") {
      let report = try ReportBuilder().build(from: open())
      _ = TextRenderer().render(report)
      _ = MarkdownRenderer().render(report)
      _ = SummaryRenderer().render(report, store: path)
      try JSONRenderer().render(report, into: sink)
    }
    add("report html") {
      let page = try PageBuilder().build(from: open(), store: path)
      try HTMLRenderer(configuration: ReportConfiguration()).render(page, into: sink)
    }
    add("stalls") {
      try StallsTextRenderer(style: TerminalStyle()).render(StallLister(open()), into: sink)
      try StallsJSONRenderer().render(StallLister(open()), into: sink)
    }
    add("show") {
      let examiner = StallExaminer(try open())
      for id in [Int64.min, -1, 0, 1, 2, 3, 17, 29, 30, 31, 61, .max] {
        guard let detail = try examiner.examine(id) else { continue }
        _ = StallTextRenderer(style: TerminalStyle()).render(detail)
        try StallJSONRenderer().render(detail, into: sink)
      }
    }
    add("timers") {
      let report = try ReportBuilder().timers(from: open())
      _ = TimersTextRenderer(style: TerminalStyle()).render(report)
      try TimersJSONRenderer().render(report, into: sink)
    }
    for format in ExportFormat.allCases {
      add("export \(format.rawValue)") {
        let export = try StoreExport(open())
        guard format.isText else {
          _ = try export.bytes(format)
          return
        }
        try export.write(format, into: sink)
      }
    }
    for (name, base, new) in [
      ("diff", good, path), ("diff, the other way", path, good), ("diff with itself", path, path),
    ] {
      add(name) {
        let sides = (
          base: [(name: base, contents: try StoreReader(path: base))],
          new: [(name: new, contents: try StoreReader(path: new))]
        )
        let comparison = try Comparer().compare(base: sides.base, new: sides.new)
        let trees = try DifferenceBuilder().trees(comparison, base: sides.base, new: sides.new)
        try ComparisonHTMLRenderer().render(comparison, trees, into: sink)
        _ = ComparisonTextRenderer(style: TerminalStyle()).render(comparison)
        _ = ComparisonMarkdownRenderer().render(comparison)
        try ComparisonJSONRenderer().render(comparison, into: sink)
      }
    }
    add("check") {
      let report = try BudgetJudge(Self.budget(), today: "2026-01-01").judge(
        open(), store: path, base: (good, try StoreReader(path: good)))
      _ = BudgetTextRenderer(style: TerminalStyle()).render(report)
      _ = BudgetJUnitRenderer().render(report)
      _ = BudgetGitHubRenderer(file: "budget.toml").render(report)
      try BudgetJSONRenderer().render(report, into: sink)
    }
    add("top") {
      let first = try LiveReading(open())
      let view = LiveView(try LiveReading(open()), since: first)
      _ = LiveRenderer(height: 40).lines(view, store: path)
    }
    add("merge") {
      let merger = try StoreMerger(into: target)
      _ = try merger.add(good)
      do {
        _ = try merger.add(path)
      } catch let error as StoreError where error.path == path {}
      // Whatever was merged can be read.
      do {
        try JSONRenderer().render(ReportBuilder().build(from: StoreReader(path: target)), into: sink)
      } catch {
        throw Unreadable(description: "the merged store: \(error)")
      }
    }
    add("symbolize") {
      let copy = target + "-named"
      defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy + suffix) } }
      try Data(contentsOf: URL(fileURLWithPath: path)).write(to: URL(fileURLWithPath: copy))
      do {
        let namer = try StoreNamer(copy, checking: true)
        _ = try StoreSymbolizer(namer, search: SymbolSearch()).run()
        try namer.removeUnused()
        namer.close()
      } catch is StoreError {
        return
      }
      // Whatever was named can be read.
      do {
        try JSONRenderer().render(ReportBuilder().build(from: StoreReader(path: copy)), into: sink)
      } catch {
        throw Unreadable(description: "the named store: \(error)")
      }
    }
    self.questions = questions
  }

  /// A merged or named store that cannot be read.
  struct Unreadable: Error, CustomStringConvertible {
    var description: String
  }

  private static func budget() throws -> Budget {
    let stalls: [String: BudgetValue] = ["count": .number(3), "hang_rate": .number(1), "worst": .text("1s")]
    let span: BudgetValue = .table(["p99": .text("8ms")])
    return try Budget(
      .table([
        "stalls": .table(stalls), "loop": .table(["main": .table(["span": span])]),
        "timer": .table(["poll": .table(["dropped": .number(0)])]), "drift": .table(["p99": .text("5ms")]),
        "health": .table(["blind": .text("5ms")]),
      ]))
  }
}
