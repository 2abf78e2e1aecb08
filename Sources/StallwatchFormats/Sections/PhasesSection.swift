import StallwatchCore
import StallwatchReport

/// The loops' time by phase, and the gap with its split.
enum PhasesSection {
  /// The phases of the worst `limit` loops.
  static func section(_ report: Report, limit: Int) -> ReportSection {
    let loops = LoopReport.worstFirst(report.loops.filter { !$0.kind.isOfItems })
    guard !loops.isEmpty else { return ReportSection(title: "Phases", paragraphs: ["No run loop ran."]) }
    var table = Table(
      columns: [
        .name("loop / phase"), .figure("count").leaving(3), .figure("total"), .figure("share"),
      ] + Quantile.brief.map { $0 == .p50 ? .figure($0.key).leaving(2) : .figure($0.key) }
        + [.name("from → to").leaving(1)])
    for loop in loops.prefix(limit) {
      table.rows.append(
        [Table.Cell(report.label(of: loop), tone: .heading)]
          + Array(repeating: "", count: table.columns.count - 1))
      // Where a filter cuts the loop's time, its phases are of whole windows.
      let whole = max(loop.time.whole, Phase.allCases.compactMap { loop.phases[$0]?.total }.saturatingSum())
      for phase in Phase.allCases {
        table.rows.append(row(phase.name, loop.phases[phase] ?? DurationSummary(), of: whole, note: phase.bounds))
      }
      table.rows.append(row("gap", loop.gap.all, of: whole, note: split(loop.gap)))
    }
    let rest = loops.count - limit
    return ReportSection(
      title: "Phases", table: table,
      notes: [
        "The gap is the time beforeSources → afterWaiting in iterations that waited: work in sources, then sleep."
          + (rest > 0 ? " The phases of \(Figure.count(rest, "more loop")) are in --format json." : "")
      ])
  }

  private static func row(_ name: String, _ summary: DurationSummary, of whole: Nanoseconds, note: String)
    -> [Table.Cell]
  {
    let share = whole > 0 ? Double(summary.total) / Double(whole) : nil
    return [
      Table.Cell("└ " + name), Table.Cell(Figure.count(summary.count)), Table.Cell(Figure.duration(summary.total)),
      Table.Cell(Figure.share(share)),
    ] + Quantile.brief.map { Table.Cell(Figure.duration(summary[$0])) } + [Table.Cell(note, tone: .faint)]
  }

  private static func split(_ gap: GapSummary) -> String {
    guard gap.all.total > 0 else { return "" }
    let share = { (part: Nanoseconds) in Figure.share(Double(part) / Double(gap.all.total)) }
    return "\(share(gap.sources)) sources, \(share(gap.waiting)) waiting"
  }
}
