/// The answer on one screen, 24 lines at most: what `record` prints when the program has ended.
public struct SummaryRenderer: Sendable {
  private var style: TerminalStyle
  /// 24 lines less titles, blank lines, five stalls and a verdict of six lines leave this many for loops.
  private static let shownLoops = 6
  private static let shownStalls = 5
  private static let verdictLines = 6

  /// A renderer.
  public init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// The summary of `report`, which was read from the file `store`; ends in a line break.
  public func render(_ report: Report, store: String) -> String {
    var lines = Array(VerdictLines.lines(report.verdict, style: style).prefix(Self.verdictLines))
    if report.verdict.rank != .nothingObserved {
      let loops = ResponsivenessSection.section(report, limit: Self.shownLoops, withModes: false)
      lines += [""] + tableLines(loops.table)
    }
    if !report.stalls.worst.isEmpty {
      let rows = report.stalls.worst.prefix(Self.shownStalls).map {
        StallsSection.row($0, hasSeveralSessions: report.sessions.count > 1)
      }
      lines += [""] + tableLines(Table(columns: StallsSection.columns, rows: rows))
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
