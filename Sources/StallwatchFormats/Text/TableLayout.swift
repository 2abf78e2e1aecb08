import StallwatchReport

/// Lays out a table in terminal columns.
struct TableLayout {
  /// The width of each column, in terminal columns.
  private var widths: [Int]
  private let columns: [Table.Column]
  /// The columns that have room, from left to right.
  private var shown: [Int]
  private let style: TerminalStyle
  /// Two spaces: enough to keep columns apart, and narrow enough for nine columns.
  private static let separator = "  "
  /// Ends the titles where columns are left out.
  private static let ellipsis = "…"

  /// Fits `table` into the style's width. Figures take the width they need; names share the rest, and the widest of
  /// them give way first. Where that is not enough, columns are left out in the order that they state.
  init(_ table: Table, style: TerminalStyle) {
    var widths = table.columns.map { DisplayText.width(of: $0.title) }
    for row in table.rows {
      for (place, cell) in row.enumerated() {
        widths[place] = max(widths[place], DisplayText.width(of: DisplayText.harmless(cell.text)))
      }
    }
    self.init(columns: table.columns, widths: widths, style: style)
  }

  /// The same with the widths that the columns need, for rows that are not all known when the first is written.
  init(columns: [Table.Column], widths: [Int], style: TerminalStyle) {
    self.columns = columns
    self.widths = widths
    self.style = style
    shown = Array(columns.indices)
    leaveOutColumns()
    narrowNames()
  }

  private mutating func leaveOutColumns() {
    while excess(columns.indices.map { columns[$0].isName ? min(widths[$0], columns[$0].leastWidth) : widths[$0] }) > 0
    {
      let turns = shown.compactMap { place in columns[place].leaves.map { (turn: $0, place: place) } }
      guard let next = turns.min(by: { $0.turn < $1.turn }) else { return }
      shown.removeAll { $0 == next.place }
      for place in shown { widths[place] = max(widths[place], DisplayText.width(of: title(place))) }
    }
  }

  /// The title of a column, with its figure's name where the column that has it is left out.
  private func title(_ place: Int) -> String {
    let column = columns[place]
    guard let group = column.group else { return column.title }
    let first = columns.firstIndex { $0.group == group }
    let firstShown = shown.first { columns[$0].group == group }
    return place == firstShown && place != first ? "\(group) \(column.title)" : column.title
  }

  private mutating func narrowNames() {
    let names = shown.filter { columns[$0].isName }
    let narrowest = Table.Column.narrowestName
    var excess = excess(widths)
    while excess > 0, let widest = names.max(by: { widths[$0] < widths[$1] }), widths[widest] > narrowest {
      let next = names.filter { widths[$0] < widths[widest] }.map { widths[$0] }.max() ?? 0
      let cut = max(min(excess, widths[widest] - max(next, narrowest)), 1)
      widths[widest] -= cut
      excess -= cut
    }
  }

  /// By how much the shown columns exceed the style's width if they have these widths.
  private func excess(_ widths: [Int]) -> Int {
    let marks = shown.count < columns.count ? 1 : 0
    let needed = shown.map { widths[$0] }.reduce(0, +) + (shown.count + marks - 1) * Self.separator.count + marks
    return needed - style.width
  }

  /// The line of titles. Ends in an ellipsis where columns are left out.
  var header: String {
    let titles = line(columns.indices.map { Table.Cell(title($0), tone: .faint) })
    guard shown.count < columns.count, let last = shown.last else { return titles }
    let isPadded = columns[last].alignment == .right
    let padding = isPadded ? 0 : widths[last] - DisplayText.width(of: title(last))
    return titles + String(repeating: " ", count: padding) + Self.separator + style.paint(Self.ellipsis, .faint)
  }

  /// A row as one line without trailing spaces. Cuts a cell that is too long; figures only where the widths were given.
  func line(_ cells: [Table.Cell]) -> String {
    var line = ""
    var pending = ""
    for place in shown {
      let cell = cells[place]
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
