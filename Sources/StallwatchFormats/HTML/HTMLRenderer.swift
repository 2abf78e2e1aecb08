import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The whole report as one page that needs and requests no other file.
///
/// Nothing from the recorded program can act in the page: every text is escaped, the page's script inserts texts only
/// as texts, and a policy lets only that script run (Content Security Policy Level 3, W3C).
package struct HTMLRenderer: Sendable {
  private var configuration: ReportConfiguration
  private var isLive: Bool

  /// A renderer. A live page listens for `changed` at `events` beside its own address, and then fetches itself anew.
  package init(configuration: ReportConfiguration = PageConfiguration().report, live: Bool = false) {
    self.configuration = configuration
    isLive = live
  }

  /// Writes `page` into `sink`. Throws what `sink` throws.
  package func render(_ page: Page, into sink: @escaping TextSink) throws {
    let nonce =
      String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    try sink(head(page, nonce: nonce))
    try sink("<main id=\"report\">\n")
    try sink(VerdictHTML.html(page))
    try sink(TimelineHTML.html(page))
    try sink(CausesHTML.html(page))
    try sink(StallsHTML.html(page))
    try sink(ProfilesHTML.html(page, rows: configuration.shownCalls))
    try sink(DistributionsHTML.html(page))
    for section in [
      TimersSection.section(page.report, limit: configuration.shownRows).map { HTMLSection.html($0, id: "timers") },
      DriftHTML.html(page.report, limit: configuration.shownRows),
      HTMLSection.html(ResponsivenessSection.section(page.report, limit: configuration.shownRows), id: "loops"),
      QueuesSection.section(page.report, limit: configuration.shownRows).map { HTMLSection.html($0, id: "queues") },
      HTMLSection.html(SessionsSection.section(page.report, limit: configuration.shownRows), id: "sessions"),
      HTMLSection.html(HealthSection.coverage(page.report), id: "coverage"),
      HTMLSection.html(HealthSection.cost(page.report), id: "health"),
    ] { if let section { try sink(section) } }
    try sink("</main>\n")
    try sink(footer(page))
    try sink("<script type=\"application/json\" id=\"data\">")
    // In JSON only texts contain `<` and `>`. Escaping both keeps a text from ending the script.
    try PageData.write(page) { try sink(HTMLText.inScript($0)) }
    try sink("</script>\n<script nonce=\"\(nonce)\">\(PageFiles.script)</script>\n</body></html>\n")
  }

  private func head(_ page: Page, nonce: String) -> String {
    let policy = [
      "default-src 'none'", "img-src data:", "script-src 'nonce-\(nonce)'", "style-src 'unsafe-inline'",
      "base-uri 'none'",
      "form-action 'none'", "connect-src \(isLive ? "'self'" : "'none'")",
    ].joined(separator: "; ")
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <link rel="icon" href="data:,">
      <title>Stallwatch: \(HTMLText.name(Self.program(page)))</title>
      <style>\(PageFiles.style)</style>
      </head>
      <body\(isLive ? " data-live=\"events\"" : "")>
      <a class="skip" href="#report">Skip to the report</a>
      <header><h1 id="title">Stallwatch: \(HTMLText.name(Self.program(page)))</h1>
      <div>\(isLive ? "<span id=\"live\" class=\"faint\" role=\"status\"></span> " : "")\
      <button id="theme" type="button">Light or dark</button></div></header>

      """
  }

  private func footer(_ page: Page) -> String {
    """
    <footer><p>Made by <code>stallwatch report \(HTMLText.name(ShellWord.quoted(page.store))) --format html</code>. \
    What the words mean: span, time between two heartbeats of the loop without a wait; stall, a span of at least the \
    threshold; jank, time by which spans exceed \(Figure.duration(page.report.frameBudget)).</p></footer>

    """
  }

  /// The programs' names for the title: three at most, then the number of the others.
  private static func program(_ page: Page) -> String {
    var names: [String] = []
    for session in page.report.sessions {
      let path = session.record.command.first ?? ""
      let name = path.split(separator: "/").last.map(String.init) ?? path
      if !names.contains(name) { names.append(name) }
    }
    let shown = names.prefix(3).map { DisplayText.name($0, to: 60) }.joined(separator: ", ")
    return names.isEmpty ? "no session" : names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
  }
}

/// The files embedded in every page, compiled into the program.
package enum PageFiles {
  /// The style. Its file has the dark palette between the first two of three comments, and takes it again at the third.
  package static let style: String = {
    let parts = String(decoding: PackageResources.page_css, as: UTF8.self).split(separator: "/* dark palette */")
    precondition(parts.count == 4)
    return [0, 1, 2, 1, 3].map { parts[$0] }.joined()
  }()
  /// All scripts in one function, so that they share names with each other only.
  static let script: String = {
    let parts = [
      PackageResources.page_js, PackageResources.columns_js, PackageResources.view_js, PackageResources.lanes_js,
      PackageResources.steering_js, PackageResources.stall_js, PackageResources.flames_js,
      PackageResources.selection_js, PackageResources.live_js,
    ]
    let all = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    return "\"use strict\";\n(() => {\n\(all)\nopenPage();\n})();\n"
  }()
}
