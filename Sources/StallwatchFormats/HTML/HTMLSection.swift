import StallwatchReport

/// Renders a section of the report as HTML.
package enum HTMLSection {
  /// Title, sentences, table and notes. Rows get the names in `rowIDs`, for links to them.
  package static func html(_ section: ReportSection, id: String, rowIDs: [String] = []) -> String {
    "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\"><h2 id=\"\(id)-title\">\(HTMLText.escaped(section.title))</h2>\n"
      + content(section, rowIDs: rowIDs) + "</section>\n"
  }

  /// The same without the section element.
  static func content(_ section: ReportSection, rowIDs: [String] = []) -> String {
    var html = section.paragraphs.map { "<p>\(HTMLText.escaped($0))</p>\n" }.joined()
    if let table = section.table { html += self.table(table, label: section.title, rowIDs: rowIDs) }
    html += section.notes.map { "<p class=\"note\">\(HTMLText.escaped($0))</p>\n" }.joined()
    return html
  }

  /// A table that scrolls sideways on its own where it is wider than the page. `leads` replaces the content of the
  /// first cells, as HTML.
  static func table(_ table: Table, label: String, rowIDs: [String] = [], leads: [String] = []) -> String {
    var html =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(HTMLText.escaped(label))\"><table>\n"
    if table.columns.contains(where: { !$0.title.isEmpty }) {
      let cells = table.columns.map { column in
        "<th scope=\"col\"\(column.alignment == .right ? " class=\"right\"" : "")>\(HTMLText.escaped(column.title))</th>"
      }
      html += "<thead><tr>\(cells.joined())</tr></thead>\n"
    }
    html += "<tbody>\n"
    for (place, row) in table.rows.enumerated() {
      let id = place < rowIDs.count ? " id=\"\(rowIDs[place])\" tabindex=\"-1\"" : ""
      var cells = zip(row, table.columns).map(cell)
      if place < leads.count { cells[0] = "<td class=\"right\">\(leads[place])</td>" }
      html += "<tr\(id)>\(cells.joined())</tr>\n"
    }
    return html + "</tbody></table></div>\n"
  }

  private static func cell(_ cell: Table.Cell, _ column: Table.Column) -> String {
    var classes: [String] = []
    if column.alignment == .right { classes.append("right") }
    if column.isName { classes.append("name") }
    switch cell.tone {
    case .plain: break
    case .faint: classes.append("faint")
    case .heading: classes.append("heading")
    case .notice: classes.append("notice")
    case .alarm: classes.append("alarm")
    }
    let list = classes.isEmpty ? "" : " class=\"\(classes.joined(separator: " "))\""
    // A name cut by its column's width appears in full in the cell's title.
    let text = HTMLText.name(cell.text)
    let title = column.isName && cell.text.count > 30 ? " title=\"\(text)\"" : ""
    return "<td\(list)\(title)>\(cell.text.isEmpty ? "" : text)</td>"
  }
}
