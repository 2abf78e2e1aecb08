import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The stalls in a table.
enum StallsSection {
  /// The columns of every list of stalls.
  static let columns: [Table.Column] = [
    .figure("id"), .figure("duration"), .word("severity"), .name("loop"), .name("mode"), .word("phase").leaving(4),
    .figure("depth").leaving(1), .figure("began at").leaving(3), .word("state").leaving(2),
  ]

  /// The worst `limit` stalls.
  static func section(_ report: Report, limit: Int) -> ReportSection {
    let counts = report.stalls.counts
    let cancelled = cancelledNote(counts)
    guard !report.stalls.worst.isEmpty else {
      return ReportSection(title: "Stalls", paragraphs: ["None."] + cancelled)
    }
    let rows = report.stalls.worst.prefix(limit).map { row($0, hasSeveralSessions: report.sessions.count > 1) }
    let rest = counts.listedCount - rows.count
    return ReportSection(
      title: "Stalls, worst first", table: Table(columns: columns, rows: rows),
      notes: (rest > 0 ? ["and \(Figure.count(rest)) more: 'stallwatch stalls FILE' lists all."] : []) + cancelled)
  }

  /// One stall as a row of ``columns``.
  static func row(_ listed: ListedStall, hasSeveralSessions: Bool) -> [Table.Cell] {
    let stall = listed.stall
    let name = DisplayText.name(listed.loopName)
    let loop = hasSeveralSessions ? "#\(stall.session) \(name)" : name
    return [
      "\(stall.id)",
      Table.Cell(Figure.duration(stall.duration), tone: SeverityTone.tone(stall.severity)),
      Table.Cell(stall.sortName),
      Table.Cell(loop), Table.Cell(DisplayText.name(stall.mode)), Table.Cell(stall.phaseName ?? Figure.unknown),
      "\(stall.began.depth)",
      Table.Cell(listed.offset.map { "+" + moment($0) } ?? Figure.unknown), state(stall),
    ]
  }

  /// A time within a session, in seconds with three decimals.
  private static func moment(_ offset: Nanoseconds) -> String {
    let milliseconds = String(offset / .millisecond % 1_000 + 1_000).dropFirst()
    return "\(offset / .second).\(milliseconds) s"
  }

  private static func state(_ stall: StoredStall) -> Table.Cell {
    switch stall.state {
    case .began: Table.Cell("going on", tone: .notice)
    case .ended: "ended"
    case .cancelled: Table.Cell("cancelled", tone: .faint)
    case .fatal: Table.Cell("fatal", tone: .alarm)
    }
  }

  private static func cancelledNote(_ counts: StallCounts) -> [String] {
    guard counts.cancelledCount > 0 else { return [] }
    return [
      "\(Figure.count(counts.cancelledCount, "suspected stall")) proved false "
        + "(suspension, a mode not yet observed, or a thread that has ended)."
    ]
  }
}
