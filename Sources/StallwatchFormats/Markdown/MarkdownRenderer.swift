import StallwatchReport

/// The whole report as GitHub-flavoured Markdown, for a pull-request comment or a wiki.
package struct MarkdownRenderer: Sendable {
  private var configuration: ReportConfiguration
  /// The longest name in a cell, in columns. Nobody reads a table that scrolls sideways for one name.
  private static let longestCell = 80

  package init(configuration: ReportConfiguration = ReportConfiguration()) { self.configuration = configuration }

  /// The report as Markdown, ending in a line break.
  package func render(_ report: Report) -> String {
    var lines = ["# Stallwatch report", "", Self.escaped(report.verdict.text)]
    if let selection = report.selection { lines += ["", "*\(Self.escaped(selection.text))*"] }
    for section in ReportSection.all(of: report, configuration: configuration) { lines += Self.lines(section) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A section's title, sentences, table and notes, after an empty line.
  package static func lines(_ section: ReportSection) -> [String] {
    var lines = ["", "## \(section.title)"]
    for paragraph in section.paragraphs { lines += ["", escaped(paragraph)] }
    if let table = section.table { lines += [""] + self.lines(table) }
    for note in section.notes { lines += ["", "*\(escaped(note))*"] }
    return lines
  }

  private static func lines(_ table: Table) -> [String] {
    let line = { (cells: [String]) in "| " + cells.joined(separator: " | ") + " |" }
    let hasSentences = !table.sentences.isEmpty
    let rows = table.rows.enumerated().map { place, row in
      line(row.map { cell($0.text) } + (hasSentences ? [escaped(table.sentences[place])] : []))
    }
    return [
      line(table.columns.map { escaped($0.title) } + (hasSentences ? [escaped(table.sentenceTitle)] : [])),
      line(table.columns.map { $0.alignment == .right ? "---:" : ":---" } + (hasSentences ? [":---"] : [])),
    ] + rows
  }

  private static func cell(_ text: String) -> String {
    escaped(DisplayText.cut(DisplayText.harmless(text), to: longestCell))
  }

  /// `text` escaped so that it contains no markup, HTML tag, mention or link.
  package static func escaped(_ text: String) -> String {
    var last: Unicode.Scalar = " "
    return DisplayText.replaced(DisplayText.harmless(text)) { scalar in
      defer { last = scalar }
      return switch scalar {
      case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "!": "\\\(scalar)"
      case "<": "&lt;"
      case ">": "&gt;"
      case "&": "&amp;"
      case "@": "&#64;"
      // Renderers recognise addresses by `https://` and `www.`
      case "/" where last == ":" || last == "/": "&#47;"
      case "." where last == "w": "&#46;"
      default: nil
      }
    }
  }
}
