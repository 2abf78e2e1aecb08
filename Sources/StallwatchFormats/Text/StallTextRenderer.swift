import StallwatchReport

/// One stall in detail for a person at a terminal: verdict first, in lines no wider than the style's.
package struct StallTextRenderer: Sendable {
  private var configuration: ReportConfiguration
  private var style: TerminalStyle

  package init(configuration: ReportConfiguration = ReportConfiguration(), style: TerminalStyle = TerminalStyle()) {
    self.configuration = configuration
    self.style = style
  }

  /// The stall as text, ending in a line break.
  package func render(_ detail: StallDetail) -> String {
    var lines = DisplayText.wrap(DisplayText.harmless(detail.verdict.text), to: style.width)
      .map { style.paint($0, .heading) }
    for section in StallDetailSections.all(of: detail, width: style.width, calls: configuration.shownCalls) {
      lines += [""] + SectionLines.lines(section, style: style)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
