import StallwatchCore
import StallwatchReport

/// The signatures, each with its cause, a place for its flame graph and the timers it hurt.
enum CausesHTML {
  static func html(_ page: Page) -> String {
    var html =
      "<section id=\"causes\" aria-labelledby=\"causes-title\"><h2 id=\"causes-title\">Causes, most time first</h2>\n"
    guard !page.causes.isEmpty else {
      let reason =
        page.report.stalls.counts.count == 0 ? "No stall." : "No stall was sampled, so the causes are unknown."
      return html + "<p>\(reason)</p></section>\n"
    }
    html += "<p id=\"selected\" class=\"note scripted-only\" role=\"status\"></p>\n"
    html += "<div id=\"spread\" class=\"scripted-only\" role=\"img\"></div>\n<div id=\"cause-list\">\n"
    let sentences = CauseSentences(page.report.stalls.signatures)
    for (place, cause) in page.causes.enumerated() {
      html += self.html(cause, sentences.sentence(cause.report), place: place)
    }
    html += "</div>\n<p id=\"other-causes\" class=\"note scripted-only\"></p>\n"
    html += bounds(page).map { "<p class=\"note\">\(HTMLText.escaped($0))</p>\n" }.joined()
    let rest = page.report.stalls.signatures.count - page.causes.count
    if rest > 0 { html += "<p class=\"note\">and \(Figure.count(rest, "more cause")).</p>\n" }
    let unknown = page.report.stalls.unattributed
    if unknown.count > 0 {
      let time = "\(Figure.duration(unknown.total)) in \(Figure.count(unknown.count, "stall"))"
      html += "<p class=\"note\">\(HTMLText.escaped(CauseWords.unattributed(unknown))): \(time).</p>\n"
    }
    html += page.report.symbolNotes.map { "<p class=\"note\">\(HTMLText.escaped($0.text))</p>\n" }.joined()
    return html + "</section>\n"
  }

  /// What the flame graphs leave out.
  private static func bounds(_ page: Page) -> [String] {
    let runs = page.marks.flatMap(\.runs.runs)
    let whole = runs.map(\.weight).saturatingSum()
    guard whole > 0 else { return [] }
    var notes: [String] = []
    let unread = runs.filter { $0.stack == PageStacks.none }.map(\.weight).saturatingSum()
    if unread > 0 {
      notes.append(
        "For \(Figure.share(Double(unread) / Double(whole))) of the \(Figure.duration(whole)) watched no stack was read: "
          + "flame graphs show it as a part of its own.")
    }
    let cut = page.marks.map(\.runs.cut).saturatingSum()
    if cut > 0 {
      notes.append(
        "For \(Figure.share(Double(cut) / Double(whole))) of it the page has no room for the innermost functions: that time "
          + "stands at their callers.")
    }
    return notes
  }

  private static func html(_ cause: CauseDetail, _ title: String, place: Int) -> String {
    let report = cause.report
    let worst = "<a href=\"#stall-\(report.worstStall)\">stall \(report.worstStall)</a>"
    var html = "<details class=\"cause\" id=\"cause-\(place)\" data-cause=\"\(place)\"\(place == 0 ? " open" : "")>\n"
    html += "<summary>\(split(report.cause))<b>\(HTMLText.name(title))</b>: "
    html += "<span class=\"figures\">\(Figure.duration(report.total)) in \(Figure.count(report.count, "stall")), the "
    html += "worst \(Figure.duration(report.worst))</span>; <span class=\"activity\">"
    html += "\(HTMLText.escaped(CauseWords.short(report.cause)))</span></summary>\n<div>\n"
    html += "<p>\(HTMLText.escaped(CauseWords.split(report.cause))). The worst is \(worst). "
    html += "Signature <code>\(HTMLText.escaped(report.signature.key))</code>"
    if let call = report.signature.call { html += ", waiting in <code>\(HTMLText.name(call))</code>" }
    html += ".</p>\n"
    if report.signature.frames.count > 1 {
      let path = report.signature.frames.map { "<code>\(HTMLText.name($0))</code>" }.joined(separator: " › ")
      html += "<p class=\"note\">Called so: \(path)</p>\n"
    }
    html += FlameHTML.html(of: title)
    html += timers(cause)
    return html + "</div></details>\n"
  }

  private static func split(_ cause: StallCause?) -> String {
    guard let shares = cause.flatMap(CauseShares.init) else { return "" }
    let parts = ThreadActivity.allCases.map { activity in
      "<i class=\"\(activity.rawValue)\" style=\"width:\(HTMLText.number(shares[activity] * 100))%\"></i>"
    }
    return "<span class=\"split\" role=\"img\" aria-label=\"\(HTMLText.escaped(CauseWords.split(cause)))\">"
      + parts.joined() + "</span>"
  }

  private static let shownTimers = 8

  /// A list of hurt timers, with timers of one title on one line.
  private static func timers(_ cause: CauseDetail) -> String {
    var lines: [(title: String, timers: Int, most: Int)] = []
    for timer in cause.timers {
      if let place = lines.firstIndex(where: { $0.title == timer.title }) {
        lines[place].timers += 1
      } else {
        lines.append((timer.title, 1, timer.stalls))
      }
    }
    guard !lines.isEmpty else { return "" }
    let list = lines.prefix(shownTimers).map { line in
      let stalls = Figure.count(line.most, "stall")
      return "<li>\(HTMLText.name(line.title)), "
        + (line.timers == 1 ? "by \(stalls)" : "\(line.timers) timers, by up to \(stalls)") + "</li>"
    }
    let rest = lines.count - list.count
    return "<p>Timers that it delayed or made drop fires:</p><ul>\(list.joined())"
      + (rest > 0 ? "<li>and \(Figure.count(rest)) more</li>" : "") + "</ul>\n"
  }
}
