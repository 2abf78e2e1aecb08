import StallwatchCore
import StallwatchReport

/// The timeline's place and controls. The page's script draws the timeline.
enum TimelineHTML {
  static func html(_ page: Page) -> String {
    var html = "<section id=\"time\" aria-labelledby=\"time-title\"><h2 id=\"time-title\">Loops over time</h2>\n"
    guard !page.timelines.isEmpty else { return html + "<p>No run loop ran.</p></section>\n" }
    html += "<div class=\"bar scripted-only\" role=\"toolbar\" aria-label=\"Timeline\">"
    if page.timelines.count > 1 { html += sessions(page) }
    for (id, sign, label) in [
      ("zoom-in", "+", "Zoom in"), ("zoom-out", "−", "Zoom out"), ("pan-left", "←", "Earlier"),
      ("pan-right", "→", "Later"), ("zoom-reset", "All", "Show all"),
      ("select-shown", "Select what is shown", "Select the time that is shown"),
      ("zoom-selection", "Zoom to selection", "Zoom to the selection"),
      ("select-none", "Select nothing", "Select nothing"),
    ] {
      html += "<button type=\"button\" id=\"\(id)\" aria-label=\"\(label)\">\(sign)</button>"
    }
    html += "<span id=\"range\" class=\"note\" role=\"status\"></span></div>\n" + filters
    html += "<div id=\"explorer\" class=\"scripted-only\"><div id=\"lanes\">"
    html +=
      "<canvas id=\"timeline\" tabindex=\"0\" role=\"application\" aria-describedby=\"reading\" aria-label=\"Timeline of the "
      + "loops. Plus and minus zoom, arrows move, 0 shows all, n and p go from stall to stall, Enter goes to the stall, s "
      + "selects what is shown, z zooms to the selection, Escape takes back. The stalls are listed below.\"></canvas>"
    html += "<p id=\"reading\" class=\"note\" role=\"status\"></p>\n"
    html += legend(page) + "<div id=\"modes\" class=\"legend\"></div>\n"
    html += notes(page).map { "<p class=\"note\">\(HTMLText.escaped($0))</p>\n" }.joined()
    html += "</div>\n<aside id=\"stall\" tabindex=\"-1\" aria-label=\"The stall\" hidden></aside></div>\n"
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

  private static let filters: String = {
    let choices = ["loop", "cause", "severity"].map { "<label>\($0) <select id=\"filter-\($0)\"></select></label>" }
    return "<div class=\"bar scripted-only\" role=\"group\" aria-label=\"Filters\">\(choices.joined())"
      + "<label>text <input id=\"filter-text\" type=\"search\"></label></div>\n"
  }()

  private static func legend(_ page: Page) -> String {
    var marks: [(String, String, Int)] = [
      ("severe", "severe, 2 s", 14), ("hang", "hang, 500 ms", 12), ("microhang", "microhang, 250 ms", 9),
      ("long", "long, 50 ms", 6), ("brief", "brief", 4), ("congestion", "congestion", 4), ("away", "away", 7),
      ("busy", "busy", 14),
    ]
    if page.leftOutMarks > 0 { marks.append(("held", "held by stalls without a mark", 14)) }
    marks += [("notice", "timers' late fires", 8), ("running", "lateness of the loop (drift)", 2)]
    let entries = marks.map { kind, words, height in
      "<span><i style=\"height:\(height)px;background:var(--\(kind))\"></i>\(words)</span>"
    }
    let flag = page.marks.contains { !$0.annotations.isEmpty } ? "<span>⚑ what the program reports changes</span>" : ""
    return "<div class=\"legend\">\(entries.joined())\(flag)<span>hatched: excluded</span>"
      + "<span>striped: unobserved</span></div>\n"
  }

  private static func notes(_ page: Page) -> [String] {
    var notes: [String] = []
    let slices = Set(page.timelines.map { page.busy[$0.session]?.slice ?? $0.slice })
    notes.append(
      "Drag to select time: causes, flame graphs, distribution and table follow. A click opens a stall. Ctrl and the wheel "
        + "zoom. Busy: the share of each slice of "
        + "\(slices.count == 1 ? Figure.duration(slices.first) : "time") in which a loop did not wait. The strip "
        + "below a lane shows the mode that took most of a slice, and the modes of stalls.")
    if page.leftOutMarks > 0 {
      let shortest = Figure.duration(page.marks.map(\.duration).min())
      notes.append(
        "\(Figure.count(page.leftOutMarks, "stall")) shorter than \(shortest) have no mark of their own: their time is "
          + "drawn slice by slice.")
    }
    if page.leftOutNotes > 0 {
      notes.append(
        "The annotations of \(Figure.count(page.leftOutNotes, "stall")) are left out: `stallwatch show` has them.")
    }
    let loops = page.timelines.map(\.leftOutLoops).reduce(0, +)
    if loops > 0 {
      notes.append("\(Figure.count(loops, "loop")) with less trouble share one lane, with their stalls alone.")
    }
    if page.leftOutSessions > 0 {
      notes.append("There is no timeline for \(Figure.count(page.leftOutSessions, "session")) with less trouble.")
    }
    return notes
  }
}
