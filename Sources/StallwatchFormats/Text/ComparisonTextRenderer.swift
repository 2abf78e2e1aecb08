import StallwatchReport

/// A comparison for a person at a terminal.
package struct ComparisonTextRenderer: Sendable {
  private var configuration: ReportConfiguration
  private var style: TerminalStyle

  package init(configuration: ReportConfiguration = ReportConfiguration(), style: TerminalStyle = TerminalStyle()) {
    self.configuration = configuration
    self.style = style
  }

  /// The comparison as text, ending in a line break.
  package func render(_ comparison: Comparison) -> String {
    let tone: Table.Tone = comparison.isRegression ? .alarm : .heading
    var lines = DisplayText.wrap(ComparisonWords.verdict(comparison), to: style.width).map { style.paint($0, tone) }
    for section in ComparisonSections.all(comparison, limit: configuration.shownStalls) {
      lines += [""] + SectionLines.lines(section, style: style)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
