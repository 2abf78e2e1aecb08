import StallwatchCore
import StallwatchReport

/// A comparison as one page that needs and requests no other file, and runs no script: the verdict, the tables, and
/// flame graphs of the difference.
package struct ComparisonHTMLRenderer: Sendable {
  private var configuration: ReportConfiguration

  package init(configuration: ReportConfiguration = PageConfiguration().report) { self.configuration = configuration }

  /// Writes the page into `sink`. Throws what `sink` throws.
  package func render(_ comparison: Comparison, _ trees: [CauseDifference], into sink: @escaping TextSink) throws {
    let limit = configuration.shownRows
    try sink(head)
    try sink("<main id=\"report\">\n")
    try sink(verdict(comparison))
    let sections: [(section: ReportSection?, id: String)] = [
      (ComparisonSections.findings(comparison, limit: limit), "findings"),
      (ComparisonSections.oneSided(comparison, limit: limit), "one-side"),
    ]
    for (section, id) in sections { if let section { try sink(HTMLSection.html(section, id: id)) } }
    try sink(DifferenceHTML.html(trees, comparison))
    let rest: [(section: ReportSection?, id: String)] = [
      (
        comparison.isBySession
          ? ComparisonSections.notShown(comparison, limit: limit)
          : ComparisonSections.recordings(comparison, limit: limit), "others"
      ),
      (ComparisonSections.sides(comparison), "sides"),
    ]
    for (section, id) in rest { if let section { try sink(HTMLSection.html(section, id: id)) } }
    try sink(
      "</main>\n<footer><p>Made by <code>stallwatch diff --format html</code>. A stall is a span of at least the ")
    try sink("threshold in which a loop did not turn; a cause is what its stalls have in common.</p></footer>\n")
    try sink("</body></html>\n")
  }

  private var head: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
    base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <link rel="icon" href="data:,">
    <title>Stallwatch: what changed</title>
    <style>\(PageFiles.style)\(DifferenceHTML.style)</style>
    </head>
    <body>
    <a class="skip" href="#report">Skip to the comparison</a>
    <header><h1 id="title">Stallwatch: what changed</h1></header>

    """
  }

  private func verdict(_ comparison: Comparison) -> String {
    let mood = comparison.isRegression ? "stalled" : comparison.changes.isEmpty ? "nothing-observed" : "healthy"
    var html = "<section id=\"verdict\" aria-label=\"Verdict\">\n<p class=\"verdict \(mood)\">"
    html += "\(HTMLText.escaped(ComparisonWords.verdict(comparison)))</p>\n<div class=\"tiles\">"
    for verdict in [Comparison.Verdict.new, .worse, .better, .gone] {
      let count = Set(comparison.findings.filter { $0.verdict == verdict }.map(\.name)).count
      let isBad = verdict.isRegression && count > 0
      html += "<div class=\"tile\"><b\(isBad ? " class=\"alarm\"" : "")>\(Figure.count(count))</b>"
      html += "<span>\(verdict.rawValue)</span></div>"
    }
    for (name, side) in [("before", comparison.base), ("now", comparison.new)] {
      let hourly = side.loopSeconds > 0 ? Double(side.stalls.count) / side.loopSeconds * 3_600 : nil
      html += "<div class=\"tile\"><b>\(Figure.rate(hourly))</b><span>stalls an hour \(name), in "
      html += "\(Figure.count(side.sessions, "session"))</span></div>"
    }
    return html + "</div>\n</section>\n"
  }
}
