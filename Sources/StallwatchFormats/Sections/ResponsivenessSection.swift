import StallwatchCore
import StallwatchReport

/// The responsiveness of the loops, each with its modes below it.
enum ResponsivenessSection {
  /// The worst `limit` loops with at most `limit` modes each.
  static func section(_ report: Report, limit: Int, withModes: Bool = true) -> ReportSection {
    let title = "Responsiveness"
    let loops = LoopReport.worstFirst(report.loops.filter { !$0.kind.isOfItems })
    guard !loops.isEmpty else { return ReportSection(title: title, paragraphs: ["No run loop ran."]) }
    let figures = MeasureColumns(report.catalog.loop)
    let showsModes = withModes && loops.contains { $0.kind.hasModes }
    var table = Table(columns: [.name(showsModes ? "loop / mode" : "loop")] + figures.columns)
    for loop in loops.prefix(limit) {
      table.rows.append(
        [Table.Cell(report.label(of: loop), tone: .heading)] + figures.cells(loop, tone: tone))
      guard showsModes, loop.kind.hasModes else { continue }
      // The busiest modes. A mode that was watched but never ran has no row.
      let modes = loop.modes.filter(\.wasRun).sorted { $0.time.busy > $1.time.busy }
      for mode in modes.prefix(limit) {
        table.rows.append(
          [Table.Cell("└ " + DisplayText.name(mode.name))]
            + figures.cells(mode, from: report.catalog.mode, tone: tone))
      }
      if modes.count > limit { table.rows.append(more(modes.count - limit, "mode", columns: table.columns.count)) }
    }
    if loops.count > limit {
      table.rows.append(more(loops.count - limit, "loop", columns: table.columns.count))
    }
    guard withModes else { return ReportSection(title: title, table: table) }
    return ReportSection(
      title: title, table: table,
      notes: [
        "A span is time between two heartbeats of the loop without a wait. busy: share of the time in runs. hang s/h: "
          + "seconds of microhang (250 ms) or worse per hour. jank ms/s: time by which spans exceed "
          + "\(Figure.duration(report.frameBudget)), per second of busy time."
      ] + starvation(loops))
  }

  private static func tone(_ figure: String, _ value: MeasureValue) -> Table.Tone {
    switch (figure, value) {
    case ("stalls", _): value.number > 0 ? .alarm : .plain
    case ("span.max", .whole(let span)): SeverityTone.tone(Severity(duration: span))
    default: .plain
    }
  }

  private static func more(_ count: Int, _ noun: String, columns: Int) -> [Table.Cell] {
    [Table.Cell("and \(Figure.count(count, "more " + noun))", tone: .faint)]
      + Array(repeating: "", count: columns - 1)
  }

  private static func starvation(_ loops: [LoopReport]) -> [String] {
    let starved = loops.flatMap { loop in loop.modes.filter { $0.starved > 0 }.map { (loop, $0) } }
      .max { $0.1.starved < $1.1.starved }
    guard let (loop, mode) = starved else { return [] }
    return [
      "Starvation: sources of mode \(DisplayText.name(mode.name, to: 40)) on loop "
        + "\(DisplayText.name(loop.name, to: 40)) could not run for \(Figure.duration(mode.starved)) because a nested "
        + "mode ran."
    ]
  }
}

/// The tone of each severity.
enum SeverityTone {
  /// Plain below a stall, a notice below a hang, an alarm from there on.
  static func tone(_ severity: Severity) -> Table.Tone {
    switch severity {
    case .brief: .plain
    case .long, .microhang: .notice
    case .hang, .severe: .alarm
    }
  }
}
