import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The worst stalls in a table, the target of the timeline's marks.
enum StallsHTML {
  /// The number of stalls in sight. The others open with a click.
  private static let inSight = 20

  static func html(_ page: Page) -> String {
    var section = StallsSection.section(page.report, limit: page.report.stalls.worst.count)
    guard let table = section.table else { return HTMLSection.html(section, id: "stalls") }
    let worst = page.report.stalls.worst
    let columns = table.columns + [.word("cause"), .name("what held the loop")]
    let sentences = CauseSentences(page.report.stalls.signatures)
    let rows = zip(table.rows, worst).map { row, listed in
      row + [
        Table.Cell(CauseWords.short(listed.stall.cause)),
        Table.Cell(sentences.sentence(listed) ?? Figure.unknown),
      ]
    }
    section.table = nil
    var html =
      "<section id=\"stalls\" aria-labelledby=\"stalls-title\"><h2 id=\"stalls-title\">Stalls, worst first</h2>\n"
    html += "<div id=\"chosen-stalls\" class=\"scroll\" tabindex=\"0\" role=\"region\" "
    html += "aria-label=\"Stalls in the selection\" hidden></div>\n<div id=\"worst-stalls\">\n"
    html += part(columns, rows, worst, 0..<min(inSight, rows.count))
    if rows.count > inSight {
      html += "<details><summary>\(Figure.count(rows.count - inSight, "more stall"))</summary>\n"
      html += part(columns, rows, worst, inSight..<rows.count) + "</details>\n"
    }
    html += HTMLSection.content(section) + "</div>\n"
    let store = HTMLText.name(ShellWord.quoted(page.store))
    html += "<p class=\"note\"><code>stallwatch show \(store) ID</code> shows a stall in detail.</p>\n"
    return html + "</section>\n"
  }

  private static func part(
    _ columns: [Table.Column], _ rows: [[Table.Cell]], _ worst: [ListedStall], _ range: Range<Int>
  ) -> String {
    let stalls = worst[range].map(\.stall.id)
    return HTMLSection.table(
      Table(columns: columns, rows: Array(rows[range])), label: "Stalls, worst first",
      rowIDs: stalls.map { "stall-\($0)" },
      // The ID is a button that shows the stall on the timeline.
      leads: stalls.map {
        "<button type=\"button\" data-stall=\"\($0)\" aria-label=\"Show stall \($0) on the timeline\">\($0)</button>"
      })
  }
}
