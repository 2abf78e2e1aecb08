import StallwatchReport

/// Timers and drift for a person at a terminal.
package struct TimersTextRenderer: Sendable {
  private var style: TerminalStyle

  package init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// All timers and the drift of `report` as text.
  package func render(_ report: Report) -> String {
    var timers =
      TimersSection.section(report, limit: .max)
      ?? ReportSection(
        title: "Timers",
        paragraphs: [
          "No timer was seen. 'stallwatch record' sees all timers of a program. An embedded monitor sees those that "
            + "Monitor.watch names, and all where StallwatchHooks is linked."
        ])
    if !report.timers.isEmpty, report.sessions.contains(where: { $0.record.platform.hasPrefix("linux") }) {
      timers.notes.append("Linux ignores a timer's tolerance, so none is shown here.")
    }
    let drift =
      DriftSection.section(report, limit: .max, plots: true)
      ?? ReportSection(title: "Drift", paragraphs: ["No tick was recorded: the drift probe was off, or no loop ran."])
    let selection = SelectionLines.lines(report.selection, style: style).joined(separator: "\n")
    let lines =
      (selection.isEmpty ? [] : [selection])
      + [timers, drift].map { SectionLines.lines($0, style: style).joined(separator: "\n") }
    return lines.joined(separator: "\n\n") + "\n"
  }
}
