import StallwatchReport

/// Lays out a table in terminal columns.
struct TableLayout {
  /// The width of each column, in terminal columns.
  private var widths: [Int]
  private var columns: [Table.Column]
  private var style: TerminalStyle
  /// Two spaces: enough to keep columns apart, and narrow enough for nine columns.
  private static let separator = "  "
  /// The narrowest column of names when room is short.
  private static let narrowestName = 8

  /// Fits `table` into the style's width. Figures take the width they need; names share the rest, and the widest of
  /// them give way first.
  init(_ table: Table, style: TerminalStyle) {
    var widths = table.columns.map { DisplayText.width(of: $0.title) }
    for row in table.rows {
      for (place, cell) in row.enumerated() {
        widths[place] = max(widths[place], DisplayText.width(of: DisplayText.harmless(cell.text)))
      }
    }
    let names = table.columns.indices.filter { table.columns[$0].isName }
    var excess = widths.reduce(0, +) + (widths.count - 1) * Self.separator.count - style.width
    while excess > 0, let widest = names.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowestName {
      let next = names.filter { widths[$0] < widths[widest] }.map { widths[$0] }.max() ?? 0
      let cut = min(excess, widths[widest] - max(next, Self.narrowestName))
      widths[widest] -= max(cut, 1)
      excess -= max(cut, 1)
    }
    self.init(columns: table.columns, widths: widths, style: style)
  }

  /// Uses given widths, for rows that are not all known when the first is written.
  init(columns: [Table.Column], widths: [Int], style: TerminalStyle) {
    self.columns = columns
    self.widths = widths
    self.style = style
  }

  /// The line of titles.
  var header: String { line(columns.map { Table.Cell($0.title, tone: .faint) }) }

  /// A row as one line without trailing spaces. Cuts a cell that is too long; figures only where the widths were given.
  func line(_ cells: [Table.Cell]) -> String {
    var line = ""
    var pending = ""
    for (place, cell) in cells.enumerated() {
      let text = DisplayText.cut(DisplayText.harmless(cell.text), to: widths[place])
      let padding = String(repeating: " ", count: widths[place] - DisplayText.width(of: text))
      if !text.isEmpty {
        line += pending + (columns[place].alignment == .right ? padding : "") + style.paint(text, cell.tone)
        pending = columns[place].alignment == .left ? padding : ""
      } else {
        pending += padding
      }
      pending += Self.separator
    }
    return line
  }
}
