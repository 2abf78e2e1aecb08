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
    let rows = report.timers.prefix(limit).map { row($0, hasSeveralSessions: report.sessions.count > 1) }
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
      ], table: Table(columns: columns, rows: rows), notes: notes)
  }

  private static let columns: [Table.Column] = [
    .name("timer"), .name("loop"), .figure("every").leaving(3), .figure("due").leaving(2), .figure("fired"),
    .figure("dropped"), .figure("late p99"), .figure("max").leaving(4), .figure("stalls"), .word("lateness").leaving(1),
  ]

  private static func row(_ report: TimerReport, hasSeveralSessions: Bool) -> [Table.Cell] {
    let timer = report.timer
    let name = report.loopName.map { DisplayText.name($0) } ?? Figure.unknown
    return [
      Table.Cell(report.count > 1 ? "\(report.title), \(Figure.times(UInt64(report.count)))" : report.title),
      Table.Cell(hasSeveralSessions ? "#\(timer.session) \(name)" : name),
      Table.Cell(timer.record.interval == 0 ? "once" : Figure.duration(timer.record.interval)),
      Table.Cell(Figure.count(timer.due)), Table.Cell(Figure.count(timer.ledger.fired)),
      Table.Cell(Figure.count(timer.ledger.dropped), tone: timer.ledger.dropped > 0 ? .notice : .plain),
      Table.Cell(figure(report.lateness.p99)), Table.Cell(figure(report.lateness.maximum)),
      Table.Cell(Figure.count(timer.stalls.count)),
      Table.Cell(report.plot),
    ]
  }

  private static func figure(_ time: Nanoseconds?) -> String { time.map { Figure.duration($0) } ?? "–" }
}
