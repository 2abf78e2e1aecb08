import StallwatchReport

/// A doctor report for a person at a terminal.
package struct DoctorTextRenderer: Sendable {
  private var style: TerminalStyle

  package init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// The report as text: the answer first, then each finding with its consequence. Ends in a line break.
  package func render(_ report: DoctorReport) -> String {
    var lines = DisplayText.wrap(answer(report), to: style.width).map {
      style.paint($0, report.canRecord ? .heading : .alarm)
    }
    let topicWidth = report.findings.map { DisplayText.width(of: $0.topic) }.max() ?? 0
    lines.append("")
    for finding in report.findings { lines += self.lines(finding, topicWidth: topicWidth) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func answer(_ report: DoctorReport) -> String {
    let limits = report.findings.count { $0.status == .limit }
    switch report.obstacles.count {
    case 0 where limits == 0: return "Recording is possible here."
    case 0: return "Recording is possible here, with \(Figure.count(limits, "limit"))."
    default: return "Recording is not possible: \(Figure.list(report.obstacles.map(\.topic)))."
    }
  }

  private func lines(_ finding: DoctorFinding, topicWidth: Int) -> [String] {
    let (mark, tone): (String, Table.Tone) =
      switch finding.status {
      case .good: ("ok      ", .plain)
      case .limit: ("limit   ", .notice)
      case .obstacle: ("OBSTACLE", .alarm)
      }
    let padding = String(repeating: " ", count: topicWidth - DisplayText.width(of: finding.topic))
    let lead = "\(finding.topic)\(padding)  "
    let room = style.width - mark.count - 2 - DisplayText.width(of: lead)
    let texts = [finding.value ?? Figure.unknown, finding.remark].compactMap { $0 }
    let wrapped = texts.flatMap { DisplayText.wrap(DisplayText.harmless($0), to: room, cutsWords: false) }
    let indent = String(repeating: " ", count: style.width - room)
    return wrapped.enumerated().map { place, text in
      place == 0 ? "\(style.paint(mark, tone))  \(lead)\(text)" : indent + text
    }
  }
}
