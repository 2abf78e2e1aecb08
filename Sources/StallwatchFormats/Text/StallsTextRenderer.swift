import StallwatchReport

/// All stalls as a table, written line by line.
package struct StallsTextRenderer: Sendable {
  private var style: TerminalStyle
  /// The widths, which are given because the first row is written before all rows are known: id, duration, severity,
  /// loop, mode, phase, depth, began at, state. With their separators they take 100 columns; a wider terminal's room
  /// goes to the mode, up to the length of `kCFRunLoopDefaultMode` and its like, and then to the loop.
  private var widths: [Int] {
    let room = max(style.width - 100, 0)
    let mode = min(room, 15)
    return [7, 9, 10, 10 + min(room - mode, 20), 15 + mode, 7, 5, 12, 9]
  }

  package init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// Writes the stalls of `lister` into `sink`, in the order of their start, and a line with the totals. Throws what
  /// reading and `sink` throw.
  package func render(_ lister: StallLister<some StoreContents>, into sink: TextSink) throws {
    let layout = TableLayout(columns: StallsSection.columns, widths: widths, style: style)
    var isFirst = true
    try lister.forEach(analyzing: false) { stall in
      if isFirst { try sink(layout.header + "\n") }
      isFirst = false
      try sink(layout.line(StallsSection.row(stall, hasSeveralSessions: lister.hasSeveralSessions)) + "\n")
    }
    let counts = lister.counts
    let sum =
      "\(Figure.count(counts.count, "stall")), \(Figure.duration(counts.total)) in all; "
      + "congestion \(Figure.times(counts.congestionCount)), \(Figure.duration(counts.congestionTotal)) in all; "
      + "\(Figure.count(counts.cancelledCount, "suspected stall")) proved false."
    let away = "Away \(Figure.times(counts.awayCount)), \(Figure.duration(counts.awayTotal)) in all."
    let lines = DisplayText.wrap(sum, to: style.width) + (counts.awayCount > 0 ? [away] : [])
    let selection = SelectionLines.lines(lister.selection, style: style)
    try sink((isFirst ? "" : "\n") + (lines + selection).map { $0 + "\n" }.joined())
  }
}
