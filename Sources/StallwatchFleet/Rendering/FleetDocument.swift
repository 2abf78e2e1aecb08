import StallwatchFormats
import StallwatchReport

/// An answer about a fleet, before it has a format: text, Markdown and HTML are layouts of the same sentences and tables.
package struct FleetDocument {
  /// The mood of the first sentence.
  package enum Mood { case plain, good, bad }

  package var title: String
  /// The answer in a sentence or two.
  package var verdict: String
  package var mood = Mood.plain
  package var sections: [ReportSection]
  /// A flame graph that only the page has, with the title of its section.
  package var flame: (title: String, html: String)?
  /// What made it, as it is typed.
  package var command: String
  /// Writes the keys of its JSON behind `schema` and `question`.
  package var json: (inout JSONWriter) throws -> Void
}

/// How an answer about a fleet looks.
package enum FleetFormat: String, CaseIterable, Sendable {
  /// For a person at a terminal.
  case text
  /// `stallwatch.fleet/1`.
  case json
  /// For a pull request or a wiki.
  case markdown
  /// One page that needs no other file and runs no script.
  case html
}

/// Writes answers about fleets.
package struct FleetRenderer {
  /// The schema's name and version.
  package static let schema = "stallwatch.fleet/1"
  private let style: TerminalStyle

  package init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// Writes the document. Throws what `sink` throws.
  package func render(_ document: FleetDocument, as format: FleetFormat, into sink: @escaping TextSink) throws {
    switch format {
    case .text: try sink(text(document))
    case .markdown: try sink(markdown(document))
    case .html: try sink(html(document))
    case .json:
      var writer = JSONWriter(to: sink)
      try writer.object { writer in
        try writer.field("schema", Self.schema)
        try writer.field("question", document.command)
        try document.json(&writer)
      }
      try writer.finish()
    }
  }

  private func text(_ document: FleetDocument) -> String {
    let tone: Table.Tone = document.mood == .bad ? .alarm : .heading
    var lines = DisplayText.wrap(document.verdict, to: style.width).map { style.paint($0, tone) }
    for section in document.sections { lines += [""] + SectionLines.lines(section, style: style) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func markdown(_ document: FleetDocument) -> String {
    var lines = ["# \(document.title)", "", MarkdownRenderer.escaped(document.verdict)]
    for section in document.sections { lines += MarkdownRenderer.lines(section) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func html(_ document: FleetDocument) -> String {
    let title = HTMLText.escaped(document.title)
    let mood = document.mood == .bad ? "stalled" : document.mood == .good ? "healthy" : "nothing-observed"
    var html = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
      base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <link rel="icon" href="data:,">
      <title>\(title)</title>
      <style>\(PageFiles.style)\(StillFlame.style)</style>
      </head>
      <body>
      <a class="skip" href="#report">Skip to the answer</a>
      <header><h1 id="title">\(title)</h1></header>
      <main id="report">
      <section id="verdict" aria-label="Verdict">
      <p class="verdict \(mood)">\(HTMLText.escaped(document.verdict))</p>
      </section>

      """
    if let flame = document.flame {
      html += "<section id=\"flame\" aria-labelledby=\"flame-title\"><h2 id=\"flame-title\">"
      html += "\(HTMLText.escaped(flame.title))</h2>\n\(flame.html)</section>\n"
    }
    for (place, section) in document.sections.enumerated() { html += HTMLSection.html(section, id: "section-\(place)") }
    html +=
      "</main>\n<footer><p>Made by <code>stallwatch fleet \(HTMLText.escaped(document.command)) --format html</code>. "
    html +=
      "A stall is a span of at least the threshold in which a loop did not turn; a cause is what its stalls have in "
    return html + "common.</p></footer>\n</body></html>\n"
  }
}
