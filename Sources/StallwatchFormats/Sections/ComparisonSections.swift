import StallwatchCore
import StallwatchReport

/// A comparison in sentences and tables.
enum ComparisonSections {
  /// One sentence: what is worse, what is better, and whether there was enough data to judge.
  static func verdict(_ comparison: Comparison) -> String {
    let findings = comparison.findings
    let worse = Set(findings.filter(\.verdict.isRegression).map(\.subject))
    let better = Set(findings.filter { !$0.verdict.isRegression }.map(\.subject)).subtracting(worse)
    let unsure = comparison.changes.filter { $0.verdict == .unsure }.count
    let isBlind = comparison.changes.allSatisfy { $0.verdict == .unsure }
    if comparison.changes.isEmpty { return "Nothing to compare: no stall was sampled and the sides share no mode." }
    if isBlind { return "Too little data to judge anything: record longer, or give more stores." }
    var parts: [String] = []
    if !worse.isEmpty { parts.append("Worse: \(list(worse)).") }
    if !better.isEmpty { parts.append("Better: \(list(better)).") }
    if parts.isEmpty { parts.append("No change reached \(Figure.share(comparison.confidence)) certainty.") }
    if unsure > 0 { parts.append("There was too little data for \(Figure.count(unsure, "question")).") }
    return parts.joined(separator: " ")
  }

  /// The findings, the undecided questions, and both sides.
  static func all(_ comparison: Comparison, limit: Int) -> [ReportSection] {
    var sections: [ReportSection] = []
    if !comparison.findings.isEmpty {
      var table = Table(columns: [
        .word("verdict"), .name("what"), .word("measure"), .figure("before").leaving(3), .figure("now"),
        .figure("change"), .figure("sure").leaving(1), .figure("show").leaving(2),
      ])
      for change in comparison.findings.prefix(limit) { table.rows.append(row(change)) }
      let rest = comparison.findings.count - table.rows.count
      sections.append(
        ReportSection(
          title: "Findings", table: table,
          notes: (rest > 0 ? ["and \(Figure.count(rest)) more."] : []) + [
            "The 'show' column gives the cause's worst stall, for 'stallwatch show' with the new store, or with the "
              + "old one where the cause is gone."
          ]))
    }
    if let section = unsure(comparison, limit: limit) { sections.append(section) }
    return sections + [sides(comparison)]
  }

  private static func list(_ subjects: Set<String>) -> String {
    let shown = subjects.sorted().prefix(3).map { DisplayText.name($0, to: 60) }
    return Figure.list(subjects.count > 3 ? shown + ["\(Figure.count(subjects.count - 3)) more"] : shown)
  }

  private static func row(_ change: Comparison.Change) -> [Table.Cell] {
    [
      Table.Cell(change.verdict.rawValue, tone: change.verdict.isRegression ? .alarm : .notice),
      Table.Cell(DisplayText.name(change.subject)), Table.Cell(change.measure), Table.Cell(value(change.base, change)),
      Table.Cell(value(change.new, change)), Table.Cell(Self.change(change)),
      Table.Cell(change.chance.map(certainty) ?? Figure.unknown),
      Table.Cell(change.worst.map { "\($0.stall)" } ?? ""),
    ]
  }

  private static func unsure(_ comparison: Comparison, limit: Int) -> ReportSection? {
    let unsure = comparison.changes.filter { $0.verdict == .unsure && $0.question == .rate }
    guard !unsure.isEmpty else { return nil }
    var table = Table(columns: [.name("cause"), .figure("stalls before"), .figure("now"), .figure("show")])
    for change in unsure.prefix(limit) {
      table.rows.append([
        Table.Cell(DisplayText.name(change.subject)), Table.Cell(Figure.count(change.counts.base)),
        Table.Cell(Figure.count(change.counts.new)), Table.Cell(change.worst.map { "\($0.stall)" } ?? ""),
      ])
    }
    let rest = unsure.count - table.rows.count
    return ReportSection(
      title: "Too few stalls to judge", table: table, notes: rest > 0 ? ["and \(Figure.count(rest)) more."] : [])
  }

  private static func sides(_ comparison: Comparison) -> ReportSection {
    var table = Table(columns: [
      .word("side"), .figure("stores").leaving(1), .figure("sessions").leaving(2), .figure("loop time"),
      .figure("iterations").leaving(3), .figure("stalls"), .figure("an hour"), .figure("held in all"),
    ])
    for (name, side) in [("before", comparison.base), ("now", comparison.new)] {
      let hourly = side.loopSeconds > 0 ? Double(side.stalls.count) / side.loopSeconds * 3_600 : nil
      table.rows.append([
        Table.Cell(name), Table.Cell(Figure.count(side.stores.count)), Table.Cell(Figure.count(side.sessions)),
        Table.Cell(Figure.duration(Nanoseconds(min(side.loopSeconds, 1e9) * 1e9))),
        Table.Cell(Figure.count(side.iterations)), Table.Cell(Figure.count(side.stalls.count)),
        Table.Cell(Figure.rate(hourly)), Table.Cell(Figure.duration(side.stalls.total)),
      ])
    }
    let asked = comparison.changes.count
    return ReportSection(
      title: "What was compared", table: table,
      notes: [
        "\(Figure.count(asked, "question")) asked. Whatever their number, it is \(Figure.share(comparison.confidence)) "
          + "certain that no finding is chance. Each finding is a change of at least a tenth."
      ])
  }

  private static func value(_ value: Double?, _ change: Comparison.Change) -> String {
    Figure.text(value.map { .real($0) }, change.question.unit)
  }

  private static func change(_ change: Comparison.Change) -> String {
    guard let base = change.base, let new = change.new, base > 0, new > 0 else { return "" }
    let ratio = new / base
    if ratio >= 2 || ratio <= 0.5 { return "× \(Figure.rate(ratio))" }
    return "\(ratio >= 1 ? "+" : "−")\(Figure.share((ratio - 1).magnitude))"
  }

  /// Shows at most four nines: nobody reads more.
  private static func certainty(_ chance: Double) -> String {
    chance < 0.0001 ? ">99.99 %" : Figure.share(1 - chance)
  }
}
