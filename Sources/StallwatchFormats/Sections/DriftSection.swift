import StallwatchCore
import StallwatchReport

/// The drift of each loop, beside the GCD timer's lateness.
enum DriftSection {
  /// The section for `limit` loops; nil where the probe was off or reported nothing.
  static func section(_ report: Report, limit: Int, plots: Bool) -> ReportSection? {
    guard let drift = report.drift else { return nil }
    var section = ReportSection(title: "Drift", paragraphs: [])
    let every = drift.interval.map { ", one every \(Figure.duration($0))" } ?? ""
    section.paragraphs.append(
      "\(Figure.count(drift.ticks, "tick")) for a run loop and a GCD timer\(every); at \(Figure.count(drift.dropped)) "
        + "of them the loop was still late for an earlier tick.")
    var table = Table(columns: columns)
    for (loop, report) in report.loopDrifts(limit: limit) {
      table.rows.append(row("\(loop)", "run loop", report.runLoop))
      table.rows.append(row("", "GCD timer", report.gcd))
      table.rows.append([
        "", "drift", signed(report.drift.p50), signed(report.drift.p90), signed(report.drift.p99),
        signed(report.drift.maximum),
      ])
    }
    section.table = table
    for (loop, report) in report.loopDrifts(limit: limit) {
      section.notes.append("\(loop): \(report.verdict)" + slope(report))
      if plots, !report.series.isEmpty { section.notes += plot(report) }
    }
    return section
  }

  private static let columns: [Table.Column] = [
    .name("loop"), .word("lateness of"), .figure("p50"), .figure("p90").leaving(1), .figure("p99"), .figure("max"),
  ]

  private static func row(_ loop: String, _ what: String, _ summary: DurationSummary) -> [Table.Cell] {
    [
      Table.Cell(loop), Table.Cell(what), Table.Cell(Figure.duration(summary.p50)),
      Table.Cell(Figure.duration(summary.p90)), Table.Cell(Figure.duration(summary.p99)),
      Table.Cell(Figure.duration(summary.maximum)),
    ]
  }

  private static func signed(_ time: Int64?) -> Table.Cell {
    guard let time else { return Table.Cell(Figure.unknown) }
    return Table.Cell((time < 0 ? "−" : "") + Figure.duration(time.magnitude))
  }

  private static func slope(_ report: DriftReport) -> String {
    // Over a short time the slope is chance.
    guard report.ticks >= 600, let slope = report.slope, slope.magnitude >= 1, slope.magnitude < 1e9 else { return "" }
    return " Its lateness changed by \(Figure.count(Int64(slope.rounded()))) ppm of the elapsed time."
  }

  private static func plot(_ report: DriftReport) -> [String] {
    let all = report.series.flatMap { [$0.runLoop, $0.gcd] }.compactMap(\.self)
    let high = max(all.max() ?? 0, 10 * .millisecond)
    let low = 10 * Nanoseconds.microsecond
    return [
      "run\u{a0}loop\u{a0} " + LatenessPlot.line(report.series.map(\.runLoop), low: low, high: high),
      "GCD\u{a0}timer " + LatenessPlot.line(report.series.map(\.gcd), low: low, high: high),
      "The worst lateness over time, \(Figure.duration(low)) to \(Figure.duration(high)), logarithmic.",
    ]
  }
}
