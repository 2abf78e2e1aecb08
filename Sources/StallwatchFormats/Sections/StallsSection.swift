import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The stalls in a table.
enum StallsSection {
  /// The columns of every list of stalls. Those of ``runLoopColumns`` are empty for a lane without modes.
  static let columns: [Table.Column] = [
    .figure("id"), .figure("duration"), .word("severity"), .name("loop"), .name("mode"), .word("phase").leaving(4),
    .figure("depth").leaving(1), .figure("began at").leaving(3), .word("state").leaving(2),
  ]

  /// Mode, phase and depth.
  private static let runLoopColumns = 4..<7

  /// Stalls in a table, without the columns that are empty for all of them.
  static func table(_ stalls: some Collection<ListedStall>, hasSeveralSessions: Bool) -> Table {
    let table = Table(columns: columns, rows: stalls.map { row($0, hasSeveralSessions: hasSeveralSessions) })
    return stalls.contains { $0.loopKind.hasModes } ? table : table.without(runLoopColumns)
  }

  /// The worst `limit` stalls.
  static func section(_ report: Report, limit: Int) -> ReportSection {
    let counts = report.stalls.counts
    let cancelled = cancelledNote(counts)
    guard !report.stalls.worst.isEmpty else {
      return ReportSection(title: "Stalls", paragraphs: ["None."] + cancelled)
    }
    let table = Self.table(report.stalls.worst.prefix(limit), hasSeveralSessions: report.sessions.count > 1)
    let rest = counts.listedCount - table.rows.count
    return ReportSection(
      title: "Stalls, worst first", table: table,
      notes: (rest > 0 ? ["and \(Figure.count(rest)) more: 'stallwatch stalls FILE' lists all."] : []) + cancelled)
  }

  /// One stall as a row of ``columns``.
  static func row(_ listed: ListedStall, hasSeveralSessions: Bool) -> [Table.Cell] {
    let stall = listed.stall
    let name = DisplayText.name(listed.loopName)
    let loop = hasSeveralSessions ? "#\(stall.session) \(name)" : name
    var place: [Table.Cell] = Array(repeating: "", count: runLoopColumns.count)
    if listed.loopKind.hasModes {
      place = [
        Table.Cell(DisplayText.name(stall.mode)), Table.Cell(stall.phaseName ?? Figure.unknown),
        "\(stall.began.depth)",
      ]
    }
    return [
      "\(stall.id)",
      Table.Cell(Figure.duration(stall.duration), tone: SeverityTone.tone(stall.severity)),
      Table.Cell(stall.sortName), Table.Cell(loop),
    ] + place + [Table.Cell(listed.offset.map { "+" + moment($0) } ?? Figure.unknown), state(stall)]
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
