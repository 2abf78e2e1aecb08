import StallwatchCore
import StallwatchReport

/// The responsiveness of the loops, each with its modes below it.
enum ResponsivenessSection {
  /// The worst `limit` loops with at most `limit` modes each.
  static func section(_ report: Report, limit: Int, withModes: Bool = true) -> ReportSection {
    let title = "Responsiveness"
    let loops = LoopReport.worstFirst(report.loops)
    guard !loops.isEmpty else { return ReportSection(title: title, paragraphs: ["No run loop ran."]) }
    var table = Table(columns: [
      .name(withModes ? "loop / mode" : "loop"), .figure("iterations").leaving(2), .figure("busy"),
      .figure("span p50").leaving(1), .figure("p99"), .figure("max"), .figure("stalls"), .figure("hang s/h"),
      .figure("jank ms/s").leaving(3),
    ])
    for loop in loops.prefix(limit) {
      table.rows.append(row(loop, in: report))
      if withModes { table.rows += modeRows(loop.modes, limit: limit, columns: table.columns.count) }
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

  private static func row(_ loop: LoopReport, in report: Report) -> [Table.Cell] {
    [
      Table.Cell(report.label(of: loop), tone: .heading),
      Table.Cell(Figure.count(loop.iterations)), Table.Cell(Figure.share(loop.utilization)),
      Table.Cell(Figure.duration(loop.span.p50)), Table.Cell(Figure.duration(loop.span.p99)),
      maximum(loop.span.maximum),
      Table.Cell(Figure.count(loop.stalls.count), tone: loop.stalls.count > 0 ? .alarm : .plain),
      Table.Cell(Figure.rate(loop.hangRate)), Table.Cell(Figure.rate(loop.jank)),
    ]
  }

  private static func row(_ mode: ModeReport) -> [Table.Cell] {
    [
      Table.Cell("└ " + DisplayText.name(mode.name)), Table.Cell(Figure.count(mode.iterations)),
      Table.Cell(Figure.share(mode.utilization)), Table.Cell(Figure.duration(mode.span.p50)),
      Table.Cell(Figure.duration(mode.span.p99)), maximum(mode.span.maximum), "", "",
      Table.Cell(Figure.rate(mode.jank)),
    ]
  }

  /// The busiest modes. A mode that was watched but never ran has no row.
  private static func modeRows(_ modes: [ModeReport], limit: Int, columns: Int) -> [[Table.Cell]] {
    let ran = modes.filter { $0.entries > 0 || $0.iterations > 0 || $0.busy > 0 || $0.waiting > 0 }
      .sorted { $0.busy > $1.busy }
    let rest = ran.count - limit
    return ran.prefix(limit).map(row) + (rest > 0 ? [more(rest, "mode", columns: columns)] : [])
  }

  private static func maximum(_ duration: Nanoseconds?) -> Table.Cell {
    let severity = Severity(duration: duration ?? 0)
    return Table.Cell(Figure.duration(duration), tone: SeverityTone.tone(severity))
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
