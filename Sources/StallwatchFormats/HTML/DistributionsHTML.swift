import StallwatchCore
import StallwatchReport

/// The distributions of phases, spans and gaps as plots on a logarithmic scale.
enum DistributionsHTML {
  private static let height = 20.0

  static func html(_ page: Page) -> String {
    guard !page.distributions.isEmpty else { return "" }
    var html =
      "<section id=\"latency\" aria-labelledby=\"latency-title\"><h2 id=\"latency-title\">Spans, gaps and phases</h2>\n"
    let thresholds = Dictionary(
      page.report.sessions.map { ($0.id, $0.record.threshold) }, uniquingKeysWith: { first, _ in first })
    for loop in page.distributions {
      let modes = loop.modes.map { mode in
        let title = "\(page.report.label(of: loop.loop)), \(DisplayText.name(mode.name, to: 80))"
        let rows = mode.rows.map { self.html($0, of: loop.loop.kind, threshold: thresholds[loop.loop.session]) }
        return "<h3>\(HTMLText.escaped(title))</h3>\n<div class=\"plots\">\(header)\(rows.joined())</div>\n"
      }
      html += modes[0]
      if modes.count > 1 {
        html += "<details class=\"more\"><summary>\(Figure.count(modes.count - 1, "more mode")) of "
        html +=
          "\(HTMLText.escaped(page.report.label(of: loop.loop)))</summary>\(modes.dropFirst().joined())</details>\n"
      }
      if loop.leftOutModes > 0 {
        html += "<p class=\"note\">\(Figure.count(loop.leftOutModes, "mode")) with less time are not shown.</p>\n"
      }
      html += gap(loop.loop)
    }
    html += """
      <p class="note">Each bar covers a quarter of a power of ten. Its height is logarithmic, so that one slow \
      iteration among millions shows. The dashed line is the threshold; bars beyond it have the colour of stalls.</p>\n
      """
    return html + "</section>\n"
  }

  private static let header: String = {
    let ticks: [(String, Int)] = [("1 µs", 4), ("1 ms", 16), ("1 s", 28)]
    let axis = ticks.map { "<span style=\"left:\(HTMLText.number(Double($1) / 0.4))%\">\($0)</span>" }
    return "<span></span><span class=\"axis\" aria-hidden=\"true\">\(axis.joined())</span>"
      + "<span class=\"right wide\">count</span>\(quantiles(\.key))\n"
  }()

  /// The cells of the brief quantiles. The longest duration may need more room.
  private static func quantiles(_ text: (Quantile) -> String) -> String {
    Quantile.brief.map { "<span class=\"right\($0 == .maximum ? " wide" : "")\">\(text($0))</span>" }.joined()
  }

  private static func html(_ row: LoopDistribution.Row, of kind: LaneKind, threshold: Nanoseconds?) -> String {
    let name = LaneWords.metric(row.metric, of: kind)
    let top = logarithm(row.counts.max() ?? 0)
    let edge = threshold.map { threshold in position(of: threshold) }
    var bars = ""
    for (place, count) in row.counts.enumerated() where count > 0 {
      let tall = top > 0 ? max(logarithm(count) / top * height, 1) : height
      // Nobody need wait for what is served for long in a queue.
      let isFault = kind.isOfItems ? row.metric == .waiting : row.metric != .waiting && row.metric != .gap
      let isOver = isFault && edge.map { Double(place) + 0.5 > $0 } ?? false
      bars +=
        "<rect\(isOver ? " class=\"over\"" : "") x=\"\(place)\" width=\"0.92\" "
        + "y=\"\(HTMLText.number(height - tall))\" height=\"\(HTMLText.number(tall))\"/>"
    }
    if let edge { bars += "<line x1=\"\(HTMLText.number(edge))\" x2=\"\(HTMLText.number(edge))\" y1=\"0\" y2=\"20\"/>" }
    let summary = row.summary
    let words =
      "\(name): \(Figure.count(summary.count)), "
      + Quantile.brief.map { "\($0.words) \(Figure.duration(summary[$0]))" }.joined(separator: ", ")
    return
      "<span>\(name)</span><svg class=\"plot\" viewBox=\"0 0 40 20\" preserveAspectRatio=\"none\" role=\"img\" "
      + "aria-label=\"\(HTMLText.escaped(words))\">\(bars)</svg><span class=\"right wide\">\(Figure.count(summary.count))</span>"
      + "\(quantiles { Figure.duration(summary[$0]) })\n"
  }

  /// The position of a duration among the bins, in bins.
  private static func position(of duration: Nanoseconds) -> Double {
    let place = LatencyBins.bounds.lastIndex { $0 <= duration } ?? 0
    guard place + 1 < LatencyBins.bounds.count else { return Double(place) }
    let (low, high) = (LatencyBins.bounds[place], LatencyBins.bounds[place + 1])
    return Double(place) + Double(duration.since(low)) / Double(high - low)
  }

  private static func gap(_ loop: LoopReport) -> String {
    guard loop.gap.all.total > 0 else { return "" }
    let share = { (part: Nanoseconds) in Figure.share(Double(part) / Double(loop.gap.all.total)) }
    return "<p class=\"note\">The gaps, beforeSources to afterWaiting, took \(Figure.duration(loop.gap.all.total)): "
      + "\(share(loop.gap.sources)) sources, \(share(loop.gap.waiting)) waiting.</p>\n"
  }

  /// Grows with the number of digits; a bar's height needs no more precision.
  private static func logarithm(_ count: UInt64) -> Double {
    var (rest, digits) = (Double(count) + 1, 0.0)
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    return digits + (rest - 1) / 9
  }
}
