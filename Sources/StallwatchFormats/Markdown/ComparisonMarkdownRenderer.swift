import StallwatchReport

/// A comparison as GitHub-flavoured Markdown, for a pull-request comment.
package struct ComparisonMarkdownRenderer: Sendable {
  private var configuration: ReportConfiguration

  package init(configuration: ReportConfiguration = ReportConfiguration()) { self.configuration = configuration }

  /// The comparison as Markdown, ending in a line break.
  package func render(_ comparison: Comparison) -> String {
    var lines = ["# Stallwatch comparison", "", MarkdownRenderer.escaped(ComparisonWords.verdict(comparison))]
    for section in ComparisonSections.all(comparison, limit: configuration.shownStalls) {
      lines += MarkdownRenderer.lines(section)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
