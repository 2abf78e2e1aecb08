import StallwatchReport

/// The answer on one screen, at most 24 lines: `record` prints it when the program has ended.
package struct SummaryRenderer: Sendable {
  private var style: TerminalStyle
  /// 24 lines minus titles, blank lines, five stalls and a verdict of six lines leave this many lines for loops.
  private static let shownLoops = 6
  /// The same for loops, and for queues, where there are both.
  private static let shownOfBoth = 2
  private static let shownStalls = 5
  private static let verdictLines = 6

  package init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// The summary of `report`, which was read from the file `store`. Ends in a line break.
  package func render(_ report: Report, store: String) -> String {
    var lines = Array(VerdictLines.lines(report.verdict, style: style).prefix(Self.verdictLines))
    if report.verdict.rank != .nothingObserved {
      let hasBoth = Set(report.loops.filter(\.wasObserved).map(\.kind.isOfItems)).count == 2
      let limit = hasBoth ? Self.shownOfBoth : Self.shownLoops
      let loops = ResponsivenessSection.section(report, limit: limit, withModes: false)
      for table in [loops.table, QueuesSection.section(report, limit: limit)?.table].compactMap(\.self) {
        lines += [""] + tableLines(table)
      }
    }
    if !report.stalls.worst.isEmpty {
      let worst = report.stalls.worst.prefix(Self.shownStalls)
      lines += [""] + tableLines(StallsSection.table(worst, hasSeveralSessions: report.sessions.count > 1))
    }
    lines += ["", "Look closer: stallwatch report \(ShellWord.quoted(DisplayText.harmless(store)))"]
    return lines.joined(separator: "\n") + "\n"
  }

  private func tableLines(_ table: Table?) -> [String] {
    guard let table else { return [] }
    let layout = TableLayout(table, style: style)
    return [layout.header] + table.rows.map(layout.line)
  }
}
