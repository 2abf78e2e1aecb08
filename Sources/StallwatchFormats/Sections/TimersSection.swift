import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The timers in a table, and what would help them.
enum TimersSection {
  /// The most remarks to show.
  private static let shownRemarks = 8

  /// The `limit` worst timers; nil where no timer was seen.
  static func section(_ report: Report, limit: Int) -> ReportSection? {
    guard !report.timers.isEmpty else { return nil }
    let fired = report.timers.map(\.timer.ledger.fired).saturatingSum()
    let dropped = report.timers.map(\.timer.ledger.dropped).saturatingSum()
    let figures = MeasureColumns(report.catalog.timer)
    let rows = report.timers.prefix(limit).map { timer in
      names(timer, hasSeveralSessions: report.sessions.count > 1)
        + figures.cells(timer, unknown: "–") { $0 == "dropped" && $1.number > 0 ? .notice : .plain }
        + [Table.Cell(timer.plot)]
    }
    let rest = report.timers.count - rows.count
    let remarks = report.timers.flatMap(\.remarks)
    var notes = rest > 0 ? ["and \(Figure.count(rest)) more: 'stallwatch timers FILE' lists all."] : []
    notes.append(LatenessPlot.legend)
    notes += remarks.prefix(shownRemarks)
    if remarks.count > shownRemarks {
      notes.append("and \(Figure.count(remarks.count - shownRemarks, "more remark")).")
    }
    return ReportSection(
      title: "Timers, most dropped first",
      paragraphs: [
        "\(Figure.count(report.timers.map(\.count).reduce(0) { $0.saturatingAdd($1) }, "timer")) came due "
          + "\(Figure.times(fired.saturatingAdd(dropped))): \(Figure.count(fired)) fired, \(Figure.count(dropped)) "
          + "dropped."
      ], table: Table(columns: names + figures.columns + [.word("lateness").leaving(1)], rows: rows), notes: notes)
  }

  private static let names: [Table.Column] = [.name("timer"), .name("loop"), .figure("every").leaving(3)]

  private static func names(_ report: TimerReport, hasSeveralSessions: Bool) -> [Table.Cell] {
    let timer = report.timer
    let name = report.loopName.map { DisplayText.name($0) } ?? Figure.unknown
    return [
      Table.Cell(report.count > 1 ? "\(report.title), \(Figure.times(UInt64(report.count)))" : report.title),
      Table.Cell(hasSeveralSessions ? "#\(timer.session) \(name)" : name),
      Table.Cell(timer.record.interval == 0 ? "once" : Figure.duration(timer.record.interval)),
    ]
  }
}
