import StallwatchCore
import StallwatchReport

/// A comparison in tables.
package enum ComparisonSections {
  /// The findings, causes that one side alone has, what is not shown, and both sides.
  package static func all(_ comparison: Comparison, limit: Int) -> [ReportSection] {
    [
      findings(comparison, limit: limit), oneSided(comparison, limit: limit),
      comparison.isBySession ? notShown(comparison, limit: limit) : recordings(comparison, limit: limit),
      sides(comparison),
    ].compactMap(\.self)
  }

  /// What is new, worse, better or gone.
  static func findings(_ comparison: Comparison, limit: Int) -> ReportSection? {
    guard !comparison.findings.isEmpty else { return nil }
    var table = Table(columns: [
      .word("verdict"), .name("what"), .word("measure"), .figure("before").leaving(3), .figure("now"),
      .figure("change"), .figure("95 % interval").leaving(1), .figure("chance").leaving(4), .figure("show").leaving(2),
    ])
    for change in comparison.findings.prefix(limit) {
      table.rows.append(
        [verdict(change)] + figures(change) + [
          Table.Cell(change.chance.map(chance) ?? Figure.unknown), Table.Cell(change.worst.map { "\($0.stall)" } ?? ""),
        ])
    }
    let more = rest(comparison.findings.count - table.rows.count)
    guard comparison.findings.contains(where: { $0.worst != nil }) else {
      return ReportSection(title: "Findings", table: withoutLast(table), notes: more)
    }
    return ReportSection(
      title: "Findings", table: table,
      notes: more + [
        "The 'show' column gives the cause's worst stall, for 'stallwatch show' with the new store, or with the old one "
          + "where the cause is gone."
      ] + commands(comparison))
  }

  /// The causes that one side alone has, findings or not, with their time.
  static func oneSided(_ comparison: Comparison, limit: Int) -> ReportSection? {
    let changes = comparison.changes.filter(\.isOneSided)
    guard !changes.isEmpty else { return nil }
    var table = Table(columns: [
      .word("seen"), .name("cause"), .figure("stalls"), .figure("held"), .figure("a finding from").leaving(1),
      .word("verdict"), .figure("show").leaving(2),
    ])
    for change in changes.prefix(limit) {
      let isNew = change.counts.base == 0
      table.rows.append([
        Table.Cell(isNew ? "now" : "before"), Table.Cell(DisplayText.name(change.name)),
        Table.Cell(Figure.count(isNew ? change.counts.new : change.counts.base)),
        Table.Cell(Figure.duration(isNew ? change.held?.new : change.held?.base)),
        Table.Cell(change.needed.map { Figure.count($0) } ?? Figure.unknown), verdict(change),
        Table.Cell(change.worst.map { "\($0.stall)" } ?? ""),
      ])
    }
    let isNamed = changes.contains { $0.worst != nil }
    return ReportSection(
      title: "Causes of one side only", table: isNamed ? table : withoutLast(table),
      notes: rest(changes.count - table.rows.count) + [
        "'A finding from' is how many stalls would not be chance, given for how long each side was watched; it takes more "
          + "where stalls come in bursts, or where other causes are as rare."
      ] + hidden(changes))
  }

  private static func hidden(_ changes: [Comparison.Change]) -> [String] {
    guard let most = changes.map(\.hidden).max(), most > 0 else { return [] }
    return [
      "The other side has up to \(Figure.count(most, "stall")) of which no stack was read, and which may be of one of these "
        + "causes: none is called new or gone unless it would be with all of them."
    ]
  }

  /// What both sides have and is no finding, with what would have been.
  static func notShown(_ comparison: Comparison, limit: Int) -> ReportSection? {
    let changes = comparison.changes.filter { $0.verdict == .notShown && !$0.isOneSided && $0.chance != nil }
    guard !changes.isEmpty else { return nil }
    var table = Table(columns: [
      .name("what"), .word("measure"), .figure("before").leaving(3), .figure("now"), .figure("change"),
      .figure("95 % interval").leaving(1), .figure("would be seen").leaving(2),
    ])
    for change in changes.prefix(limit) {
      let visible = change.visible.map { ComparisonWords.percent($0) } ?? "nothing"
      table.rows.append(figures(change) + [Table.Cell(visible)])
    }
    return ReportSection(
      title: "Not shown", table: table,
      notes: rest(changes.count - table.rows.count) + [
        "'Would be seen' is the change that such \(comparison.unit)s show in 19 of 20 comparisons."
      ])
  }

  /// How sides of few sessions differ, as they are.
  static func recordings(_ comparison: Comparison, limit: Int) -> ReportSection? {
    let both = comparison.changes.filter { $0.ratio != nil && !$0.isOneSided }
    let clear = both.filter { ComparisonWords.isClear($0, in: comparison) }
    let changes =
      clear.sorted { ComparisonWords.size($0) > ComparisonWords.size($1) }
      + both.filter { !ComparisonWords.isClear($0, in: comparison) }
    guard !changes.isEmpty else { return nil }
    var table = Table(columns: [
      .name("what"), .word("measure"), .figure("before").leaving(2), .figure("now"), .figure("change"),
      .figure("95 % within").leaving(1),
    ])
    for change in changes.prefix(limit) { table.rows.append(figures(change)) }
    return ReportSection(
      title: "Between \(ComparisonWords.recordings(comparison))", table: table,
      notes: rest(changes.count - table.rows.count) + [
        "The intervals say how well these recordings are known, and not by how much the next ones may differ."
      ])
  }

  /// What was compared.
  static func sides(_ comparison: Comparison) -> ReportSection {
    var table = Table(columns: [
      .word("side"), .figure("stores").leaving(1), .figure("\(comparison.unit)s"), .figure("loop time"),
      .figure("iterations").leaving(1), .figure("stalls"), .figure("an hour"), .figure("held in all"),
    ])
    let labels = SaidLabels([comparison.base, comparison.new].compactMap(\.labels))
    table.columns.insert(contentsOf: labels.columns, at: 1)
    for (name, side) in [("before", comparison.base), ("now", comparison.new)] {
      let hourly = side.loopSeconds > 0 ? Double(side.stalls.count) / side.loopSeconds * 3_600 : nil
      var row = [
        Table.Cell(name), Table.Cell(Figure.count(side.stores.count)), Table.Cell(Figure.count(side.sessions)),
        Table.Cell(Figure.duration(Nanoseconds(min(side.loopSeconds, 1e9) * 1e9))),
        Table.Cell(Figure.count(side.iterations)), Table.Cell(Figure.count(side.stalls.count)),
        Table.Cell(Figure.rate(hourly)), Table.Cell(Figure.duration(side.stalls.total)),
      ]
      row.insert(contentsOf: labels.cells(side.labels), at: 1)
      table.rows.append(row)
    }
    let asked = Figure.count(comparison.changes.count, "question")
    var notes = [
      comparison.isBySession
        ? "\(asked) asked. Chance makes something new or worse in at most "
          + "\(Figure.share(1 - comparison.confidence)) of such comparisons, and something gone or better in as many. "
          + "What is worse or better differs by at least \(Figure.share(comparison.leastChange))."
        : "\(asked) asked. With fewer than \(ComparisonConfiguration.fewestSessions) \(comparison.unit)s a side, only causes of one "
          + "side are tested."
    ]
    if let floor = comparison.floor {
      notes.append(
        "Rates and durations count stalls of \(Figure.duration(floor)) or more, which every session would have seen.")
    }
    let repeated = comparison.base.repeated + comparison.new.repeated
    if repeated > 0 { notes.append("\(Figure.count(repeated, "session")) given more than once; each counts once.") }
    return ReportSection(title: "What was compared", table: table, notes: notes)
  }

  /// The name, the measure, both values, the change and its interval.
  private static func figures(_ change: Comparison.Change) -> [Table.Cell] {
    [
      Table.Cell(DisplayText.name(change.name)), Table.Cell(change.measure), Table.Cell(value(change.base, change)),
      Table.Cell(value(change.new, change)), Table.Cell(change.ratio.map { ComparisonWords.change($0) } ?? ""),
      Table.Cell(change.ratio.map { ComparisonWords.interval($0) } ?? ""),
    ]
  }

  private static func verdict(_ change: Comparison.Change) -> Table.Cell {
    let tone: Table.Tone =
      switch change.verdict {
      case .new, .worse: .alarm
      case .gone, .better: .notice
      case .notShown: .plain
      }
    return Table.Cell(change.verdict.rawValue, tone: tone)
  }

  private static func value(_ value: Double?, _ change: Comparison.Change) -> String {
    if change.question == .speed { return "" }
    return Figure.text(value.map { .real($0) }, change.question.unit)
  }

  /// The commands that show the worst stalls of the first findings, where a side has several stores.
  private static func commands(_ comparison: Comparison) -> [String] {
    guard comparison.base.stores.count + comparison.new.stores.count > 2 else { return [] }
    var commands: [String] = []
    for worst in comparison.findings.compactMap(\.worst) {
      let command = "'stallwatch show \(DisplayText.name(ShellWord.quoted(worst.store))) \(worst.stall)'"
      if !commands.contains(command), commands.count < 3 { commands.append(command) }
    }
    return commands.isEmpty ? [] : ["Look at \(Figure.list(commands))."]
  }

  private static func withoutLast(_ table: Table) -> Table {
    table.without(table.columns.count - 1..<table.columns.count)
  }

  private static func chance(_ chance: Double) -> String { Figure.share(chance) }

  private static func rest(_ count: Int) -> [String] { count > 0 ? ["and \(Figure.count(count)) more."] : [] }
}
