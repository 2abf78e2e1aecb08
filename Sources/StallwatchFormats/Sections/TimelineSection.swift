import StallwatchCore
import StallwatchReport

/// How busy loops were over time, a line each.
enum TimelineSection {
  /// The lanes in at most `columns` columns; nil where nothing is known.
  static func section(_ report: Report, columns: Int) -> ReportSection? {
    let shown = report.timelines.filter { timeline in timeline.lanes.contains { $0.slices.contains(where: \.isKnown) } }
    guard !shown.isEmpty else { return nil }
    var table = Table(columns: [.name("loop"), .word("busy over time"), .figure("busiest")])
    for timeline in shown {
      for lane in timeline.lanes where lane.slices.contains(where: \.isKnown) {
        let name = DisplayText.name(lane.name)
        let busiest = lane.slices.max { $0.time.busy < $1.time.busy }?.time.utilization
        table.rows.append([
          Table.Cell(report.sessions.count > 1 ? "#\(timeline.session) \(name)" : name, tone: .heading),
          Table.Cell(bars(lane.slices, columns: columns)), Table.Cell(Figure.share(busiest)),
        ])
      }
    }
    let lengths = Set(shown.map { columnLength(of: $0, columns: columns) })
    let length = lengths.count == 1 ? Figure.duration(lengths.first) : "a slice of its session"
    return ReportSection(
      title: "Loops over time", table: table,
      notes: [
        "A column is \(length): the higher, the busier; · is a wait, and a blank is time outside any run, or not watched. "
          + "busiest: the busiest slice of \(Figure.duration(shown.first?.slice)) or longer."
      ])
  }

  private static func columnLength(of timeline: Timeline, columns: Int) -> Nanoseconds {
    let count = timeline.lanes.map(\.slices.count).max() ?? 1
    return timeline.slice * Nanoseconds(merged(count, columns: columns))
  }

  /// How many slices a column stands for.
  private static func merged(_ slices: Int, columns: Int) -> Int { max((slices + columns - 1) / max(columns, 1), 1) }

  private static let heights: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  private static func bars(_ slices: [Timeline.Slice], columns: Int) -> String {
    let width = merged(slices.count, columns: columns)
    let bars = stride(from: 0, to: slices.count, by: width).map { start -> Character in
      let time = slices[start..<min(start + width, slices.count)].reduce(into: LoopTime()) { $0.add($1.time) }
      guard let busy = time.utilization else { return " " }
      guard busy >= 0.005 else { return "·" }
      return heights[min(Int(busy * Double(heights.count)), heights.count - 1)]
    }
    return String(bars)
  }
}
