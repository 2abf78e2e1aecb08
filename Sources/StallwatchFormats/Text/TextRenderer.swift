import StallwatchReport

/// The whole report for a person at a terminal: verdict first, then the sections, in lines no wider than the style's.
package struct TextRenderer: Sendable {
  private var configuration: ReportConfiguration
  private var style: TerminalStyle

  package init(configuration: ReportConfiguration = ReportConfiguration(), style: TerminalStyle = TerminalStyle()) {
    self.configuration = configuration
    self.style = style
  }

  /// The report as text, ending in a line break.
  package func render(_ report: Report) -> String {
    var lines = VerdictLines.lines(report.verdict, style: style)
    lines += SelectionLines.lines(report.selection, style: style)
    for section in ReportSection.all(of: report, configuration: configuration) {
      lines += [""] + SectionLines.lines(section, style: style)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// A verdict as text lines.
enum VerdictLines {
  /// The verdict, wrapped, in the colour of its rank.
  static func lines(_ verdict: Verdict, style: TerminalStyle) -> [String] {
    let tone: Table.Tone =
      switch verdict.rank {
      case .stalled, .away: .alarm
      case .congested, .nothingObserved: .notice
      case .healthy: .heading
      }
    return DisplayText.wrap(DisplayText.harmless(verdict.text), to: style.width).map { style.paint($0, tone) }
  }
}

/// What of the store an answer is about, as text lines.
enum SelectionLines {
  static func lines(_ selection: Selection?, style: TerminalStyle) -> [String] {
    guard let selection else { return [] }
    return DisplayText.wrap(DisplayText.harmless(selection.text), to: style.width).map { style.paint($0, .faint) }
  }
}

/// A section as text lines.
package enum SectionLines {
  private static let sentenceIndent = "    "

  /// The title, then the paragraphs, table and notes.
  package static func lines(_ section: ReportSection, style: TerminalStyle) -> [String] {
    var lines = [style.paint(section.title.uppercased(), .heading)]
    lines += section.paragraphs.flatMap { DisplayText.wrap(DisplayText.harmless($0), to: style.width, indent: "  ") }
    if let table = section.table {
      let layout = TableLayout(table, style: style)
      if table.columns.contains(where: { !$0.title.isEmpty }) { lines.append(layout.header) }
      for (place, row) in table.rows.enumerated() {
        lines.append(layout.line(row))
        guard table.sentences.indices.contains(place) else { continue }
        let sentence = DisplayText.harmless(table.sentences[place])
        lines += DisplayText.wrap(sentence, to: style.width - sentenceIndent.count).map { sentenceIndent + $0 }
      }
    }
    lines += section.notes.flatMap { DisplayText.wrap(DisplayText.harmless($0), to: style.width) }.map {
      style.paint($0, .faint)
    }
    return lines
  }
}
