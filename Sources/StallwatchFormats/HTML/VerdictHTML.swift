import StallwatchCore
import StallwatchReport

/// The verdict in plain words, and the most important figures.
enum VerdictHTML {
  static func html(_ page: Page) -> String {
    let report = page.report
    let verdict = report.verdict
    var html = "<section id=\"verdict\" aria-label=\"Verdict\">\n"
    html += "<p class=\"verdict \(verdict.rank.rawValue)\">\(HTMLText.escaped(verdict.text))</p>\n"
    if let selection = report.selection { html += "<p class=\"facts\">\(HTMLText.escaped(selection.text))</p>\n" }
    html += "<div class=\"tiles\">\(tiles(report).map(tile).joined())</div>\n"
    if let facts = facts(report) { html += "<p class=\"facts\">\(HTMLText.escaped(facts))</p>\n" }
    return html + "</section>\n"
  }

  private static func tiles(_ report: Report) -> [(figure: String, label: String, isBad: Bool)] {
    let counts = report.stalls.counts
    var tiles: [(figure: String, label: String, isBad: Bool)] = [
      (Figure.count(counts.count), counts.count == 1 ? "stall" : "stalls", counts.count > 0)
    ]
    for severity in [Severity.severe, .hang, .microhang, .long] {
      if let count = counts.bySeverity[severity] { tiles.append((Figure.count(count), severity.name, false)) }
    }
    if counts.count > 0 { tiles.append((Figure.duration(counts.total), "held in all", false)) }
    if let worst = report.stalls.worst.first(where: { $0.stall.began.kind == .stall }) {
      tiles.append((Figure.duration(worst.stall.duration), "worst stall", false))
    }
    let aways = report.loops.filter(\.isMain).map(\.stalls.awayCount).reduce(0, +)
    if aways > 0 { tiles.append((Figure.count(aways), "main thread away", true)) }
    let dropped = report.timers.map(\.timer.ledger.dropped).saturatingSum()
    if !report.timers.isEmpty { tiles.append((Figure.count(dropped), "dropped fires", dropped > 0)) }
    if let main = LoopReport.worstFirst(report.loops).first {
      let name = DisplayText.name(main.name, to: 24)
      tiles.append((Figure.share(main.time.utilization), "\(name) busy", false))
      let (metric, summary) = main.kind.isOfItems ? (Metric.waiting, main.delay) : (.span, main.span)
      let words = "\(name) \(LaneWords.metric(metric, of: main.kind)) \(Quantile.p99.key)"
      tiles.append((Figure.duration(summary[.p99]), words, false))
    }
    return tiles
  }

  private static func tile(_ tile: (figure: String, label: String, isBad: Bool)) -> String {
    "<div class=\"tile\"><b\(tile.isBad ? " class=\"alarm\"" : "")>\(HTMLText.escaped(tile.figure))</b>"
      + "<span>\(HTMLText.escaped(tile.label))</span></div>"
  }

  private static func facts(_ report: Report) -> String? {
    guard let first = report.sessions.first else { return nil }
    let watched = Figure.duration(report.sessions.map(\.duration).saturatingSum())
    let hosts = Set(report.sessions.map(\.record.process.host))
    let host =
      hosts.count == 1 ? "on \(DisplayText.name(first.record.process.host, to: 60))" : "on \(hosts.count) hosts"
    return
      "\(Figure.count(report.sessions.count, "session")) \(host), \(first.record.platform), watched for \(watched), "
      + "the first from \(Timestamp.readable(first.record.startedAt)); a stall is a span of "
      + "\(Figure.duration(first.record.threshold)) or more."
  }
}
