import StallwatchCore
import StallwatchReport

/// Where the busy time of profiled loops went, from `record --profile`.
enum ProfilesHTML {
  /// The section, with at most `rows` functions of each loop in a table; nothing where no loop was profiled.
  static func html(_ page: Page, rows: Int) -> String {
    guard !page.profiles.isEmpty else { return "" }
    let sections = ProfilesSection.sections(page.report, limit: page.profiles.count, rows: rows)
    var html =
      "<section id=\"profiles\" aria-labelledby=\"profiles-title\"><h2 id=\"profiles-title\">What kept loops busy</h2>\n"
    for (place, (profile, section)) in zip(page.profiles, sections).enumerated() {
      var section = section
      let title = section.paragraphs.joined(separator: " ")
      section.paragraphs = []
      html += "<details class=\"cause\" id=\"profile-\(place)\" data-profile=\"\(place)\">\n<summary>"
      html += "\(HTMLText.escaped(title))</summary>\n<div>\n" + FlameHTML.html(of: title)
      html += notes(profile).map { "<p class=\"note\">\(HTMLText.escaped($0))</p>\n" }.joined()
      html += HTMLSection.content(section) + "</div></details>\n"
    }
    let rest = page.report.profiles.count - page.profiles.count
    if rest > 0 { html += "<p class=\"note\">and \(Figure.count(rest, "loop")) that were less busy.</p>\n" }
    return html + "<p class=\"note\">A profile is of the whole recording: it follows no selection.</p></section>\n"
  }

  private static func notes(_ profile: PageProfile) -> [String] {
    var notes: [String] = []
    if profile.cut > 0 {
      notes.append(
        "\(Figure.duration(profile.cut)) counts for callers: the page has no room for all of the innermost functions.")
    }
    if profile.leftOut > 0 { notes.append("\(Figure.duration(profile.leftOut)) of the lightest stacks are left out.") }
    return notes
  }
}
