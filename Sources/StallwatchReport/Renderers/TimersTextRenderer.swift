/// The timers and the drift for a person at a terminal.
public struct TimersTextRenderer: Sendable {
  private var style: TerminalStyle

  /// A renderer.
  public init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// All timers of `report`, and its drift.
  public func render(_ report: Report) -> String {
    var timers =
      TimersSection.section(report, limit: .max)
      ?? ReportSection(
        title: "Timers",
        paragraphs: [
          "None was seen. 'stallwatch record' sees all timers of a program; an embedded monitor those that "
            + "Monitor.watch names, and all where StallwatchHooks is linked."
        ])
    if !report.timers.isEmpty, report.sessions.contains(where: { $0.record.platform.hasPrefix("linux") }) {
      timers.notes.append("On Linux the system ignores a timer's tolerance, so none is told here.")
    }
    let drift =
      DriftSection.section(report, limit: .max, plots: true)
      ?? ReportSection(title: "Drift", paragraphs: ["No tick was recorded: the drift probe was off, or no loop ran."])
    let lines = [timers, drift].map { SectionLines.lines($0, style: style).joined(separator: "\n") }
    return lines.joined(separator: "\n\n") + "\n"
  }
}
