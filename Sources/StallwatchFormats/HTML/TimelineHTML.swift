import StallwatchCore
import StallwatchReport

/// The timeline's place and controls. The page's script draws the timeline.
enum TimelineHTML {
  static func html(_ page: Page) -> String {
    var html = "<section id=\"time\" aria-labelledby=\"time-title\"><h2 id=\"time-title\">Loops over time</h2>\n"
    guard !page.timelines.isEmpty else { return html + "<p>No run loop ran.</p></section>\n" }
    html += "<div class=\"bar\" role=\"toolbar\" aria-label=\"Timeline\">"
    if page.timelines.count > 1 { html += sessions(page) }
    for (id, sign, label) in [
      ("zoom-in", "+", "Zoom in"), ("zoom-out", "−", "Zoom out"), ("pan-left", "←", "Earlier"),
      ("pan-right", "→", "Later"), ("zoom-reset", "All", "Show all"),
    ] {
      html += "<button type=\"button\" id=\"\(id)\" aria-label=\"\(label)\">\(sign)</button>"
    }
    html += "<span id=\"range\" class=\"note\" role=\"status\"></span></div>\n"
    html +=
      "<svg id=\"timeline\" tabindex=\"0\" role=\"group\" aria-label=\"Timeline of the loops. Plus and minus zoom, arrows "
      + "move, 0 shows all, n and p go from stall to stall. The stalls are listed below.\"></svg>\n"
    html += legend + "<div id=\"modes\" class=\"legend\"></div>\n"
    html += notes(page).map { "<p class=\"note\">\(HTMLText.escaped($0))</p>\n" }.joined()
    return html
      + "<noscript><p>The timeline and the flame graphs need JavaScript; the rest of the page does not.</p></noscript>"
      + "</section>\n"
  }

  private static func sessions(_ page: Page) -> String {
    let options = page.timelines.map { timeline -> String in
      let record = page.report.sessions.first { $0.id == timeline.session }?.record
      let command = DisplayText.name(record?.command.joined(separator: " ") ?? "", to: 60)
      return "<option value=\"\(timeline.session)\">#\(timeline.session) \(HTMLText.escaped(command))</option>"
    }
    return "<label>Session <select id=\"session\">\(options.joined())</select></label>"
  }

  private static let legend: String = {
    let marks: [(String, String, Int)] = [
      ("severe", "severe, 2 s", 14), ("hang", "hang, 500 ms", 12), ("microhang", "microhang, 250 ms", 9),
      ("long", "long", 6), ("congestion", "congestion", 4),
      ("away", "away", 7),
    ]
    let entries = marks.map { kind, words, height in
      "<span><svg width=\"8\" height=\"14\" aria-hidden=\"true\"><rect class=\"\(kind)\" width=\"8\" y=\"\(14 - height)\" "
        + "height=\"\(height)\"/></svg>\(words)</span>"
    }
    return "<div class=\"legend\">\(entries.joined())"
      + "<span><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect width=\"14\" height=\"14\" "
      + "fill=\"var(--busy)\"/></svg>busy</span><span>hatched: excluded or unobserved</span></div>\n"
  }()

  private static func notes(_ page: Page) -> [String] {
    var notes: [String] = []
    let slices = Set(page.timelines.map(\.slice))
    notes.append(
      "Busy: the share of each slice of \(slices.count == 1 ? Figure.duration(slices.first) : "time") in which a loop "
        + "did not wait. The strip below a lane shows the mode that took most of the slice. Drag to zoom, double-click "
        + "to show all.")
    let loops = page.timelines.map(\.leftOutLoops).reduce(0, +)
    if loops > 0 { notes.append("The timeline leaves out \(Figure.count(loops, "loop")) with less trouble.") }
    if page.leftOutSessions > 0 {
      notes.append("There is no timeline for \(Figure.count(page.leftOutSessions, "session")) with less trouble.")
    }
    return notes
  }
}
