import StallwatchCore
import StallwatchStore

extension Catalog {
  static let standardStalls: [Measure<StallFigures, Never>] =
    [.count("count", "stalls, without congestion, aways and cancelled ones") { $0.counts.count }.limited()]
    + Severity.allCases.map { severity in
      .count("\(severity.name)_only", lengths(severity)) { $0.counts.bySeverity[severity] ?? 0 }
        .json(severity.name, in: "by_severity")
    }
    + [Severity.microhang, .hang, .severe].map { severity in
      .count(severity.name, "stalls of \(DurationNotation.exact(severity.minimum)) or more") {
        $0.counts.count(atLeast: severity)
      }.withoutJSON().limited()
    } + [
      .duration("total", "the summed duration of the stalls") { $0.counts.total }.limited(),
      .count("fatal", "stalls in which the process died") { $0.counts.fatalCount }.json("fatal_count").limited(),
      .count("open", "stalls that were going on when the store was read") { $0.counts.openCount }.json("open_count"),
      .count("congestion", "busy runs of at least the threshold in which no span is a stall") {
        $0.counts.congestionCount
      }.json("congestion_count").limited(),
      .duration("congestion_total", "the summed duration of these busy runs") { $0.counts.congestionTotal },
      .count("away", "how often a thread was away from its loop for at least the threshold") { $0.counts.awayCount }
        .json("away_count").limited(),
      .duration("away_total", "the summed duration of these aways") { $0.counts.awayTotal },
      .count("cancelled", "suspected stalls that proved false") { $0.counts.cancelledCount }.neutral()
        .json("cancelled_count"),
      .duration("worst", "the duration of the longest stall") { $0.worst }.withoutJSON().limited(),
      .rate("hang_rate", "seconds of `microhang` or worse per hour, of the worst loop") { $0.hangRate }
        .withoutJSON().limited(),
      .rate("jank", "milliseconds beyond the frame budget per second of busy time, of the worst loop") { $0.jank }
        .withoutJSON().limited(),
    ]

  private static func lengths(_ severity: Severity) -> String {
    let least = "from \(DurationNotation.exact(severity.minimum))"
    let worse = Severity.allCases.first { $0 > severity }
    return worse.map { "\(least) to below \(DurationNotation.exact($0.minimum))" } ?? least
  }
}
