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
    let shown = report.catalog.drift.columns().filter(\.measure.isDistribution)
    let quantiles = shown.first?.column.quantiles ?? []
    var table = Table(
      columns: [.name("loop"), .word("lateness of")]
        + quantiles.map { $0 == .p90 ? .figure($0.key).leaving(1) : .figure($0.key) })
    for (loop, drift) in report.loopDrifts(limit: limit) {
      for (place, row) in shown.enumerated() {
        table.rows.append(
          [Table.Cell(place == 0 ? loop : ""), Table.Cell(row.column.title)]
            + quantiles.map { Table.Cell(Figure.text(row.measure.value(of: drift, at: $0), row.measure.unit)) })
      }
    }
    section.table = table
    for (loop, report) in report.loopDrifts(limit: limit) {
      section.notes.append("\(loop): \(report.verdict)" + slope(report))
      if plots, !report.series.isEmpty { section.notes += plot(report) }
    }
    return section
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
