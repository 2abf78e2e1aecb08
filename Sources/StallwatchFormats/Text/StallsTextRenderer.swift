import StallwatchReport

/// All stalls as a table, written line by line.
package struct StallsTextRenderer: Sendable {
  private var style: TerminalStyle
  /// Fixed widths, because the first row is written before all rows are known: id, duration, severity, loop, mode,
  /// phase, depth, began at, state. With their separators they take 100 columns.
  private static let widths = [7, 9, 10, 10, 15, 7, 5, 12, 9]

  package init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// Writes the stalls of `lister` into `sink`, in the order of their start, and a line with the totals. Throws what
  /// reading and `sink` throw.
  package func render(
    _ lister: StallLister<some StoreContents>, progress: (_ read: Int, _ all: Int) -> Void = { _, _ in },
    into sink: TextSink
  ) throws {
    let layout = TableLayout(columns: StallsSection.columns, widths: Self.widths, style: style)
    var isFirst = true
    try lister.forEach(analyzing: false, progress: progress) { stall in
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
    try sink((isFirst ? "" : "\n") + sum + "\n" + (counts.awayCount > 0 ? away + "\n" : ""))
  }
}
