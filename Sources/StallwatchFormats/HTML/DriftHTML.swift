import StallwatchCore
import StallwatchReport

/// The drift of each loop over time, beside the GCD timer's lateness.
enum DriftHTML {
  /// The section for `limit` loops; nil where the probe was off or reported nothing.
  static func html(_ report: Report, limit: Int) -> String? {
    guard let section = DriftSection.section(report, limit: limit, plots: false) else { return nil }
    var html = "<section id=\"drift\" aria-labelledby=\"drift-title\"><h2 id=\"drift-title\">Drift over time</h2>\n"
    for (loop, drift) in report.loopDrifts(limit: limit) where drift.series.contains(where: { $0.runLoop != nil }) {
      html += plot(drift, loop: loop)
    }
    return html + HTMLSection.content(section) + "</section>\n"
  }

  private static func plot(_ report: DriftReport, loop: String) -> String {
    let all = report.series.flatMap { [$0.runLoop, $0.gcd] }.compactMap(\.self)
    let (low, high) = (10 * Nanoseconds.microsecond, max(all.max() ?? 0, 100 * .millisecond))
    let points = { (values: [Nanoseconds?]) in
      values.enumerated().compactMap { place, value in
        value.map { "\(place),\(HTMLText.number(40 - LatenessPlot.height(of: $0, low: low, high: high) * 40))" }
      }.joined(separator: " ")
    }
    let words =
      "The worst lateness over time of \(loop): run loop up to \(Figure.duration(report.runLoop.maximum)), GCD timer up to "
      + Figure.duration(report.gcd.maximum)
    return
      "<h3>\(HTMLText.escaped(loop))</h3><svg class=\"drift\" viewBox=\"0 0 \(max(report.series.count - 1, 1)) 40\" "
      + "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\(HTMLText.escaped(words))\">"
      + "<polyline class=\"gcd\" points=\"\(points(report.series.map(\.gcd)))\"/>"
      + "<polyline class=\"loop\" points=\"\(points(report.series.map(\.runLoop)))\"/></svg>"
      + "<div class=\"range\"><span>start</span><span>worst lateness, \(Figure.duration(low)) at the bottom to "
      + "\(Figure.duration(high)) at the top, logarithmic; solid line: run loop; dashed line: GCD timer</span>"
      + "<span>end</span></div>\n"
  }
}
