import StallwatchCore
import StallwatchStore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

/// What sessions are of, in reports.
@Suite struct LabelReportTests {
  private static let said = SessionLabels(
    service: "checkout", release: "4.2.0", environment: "production", instance: "web-1",
    tags: ["region": "eu", "tier": "free"])

  private func contents(_ labels: SessionLabels, buildID: String? = nil) -> HandMadeContents {
    var contents = HandMadeContents.busy
    contents.storedSessions[0].record.command = ["/opt/bin/app", "--fast"]
    contents.storedSessions[0].record.labels = labels
    contents.storedSessions[0].record.programBuildID = buildID
    return contents
  }

  private func labels(_ contents: HandMadeContents) throws -> CompleteLabels {
    try contents.labels(of: contents.storedSessions[0])
  }

  @Test func whatIsSaidCounts() throws {
    let labels = try labels(contents(Self.said, buildID: "0123456789abcdef"))
    #expect(SessionLabels.Name.allCases.map { labels[$0] } == ["checkout", "4.2.0", "production", "web-1"])
    #expect(labels.tags == Self.said.tags)
    #expect(!labels.isInstanceDefaulted)
  }

  @Test func whatIsNotSaidHasADefault() throws {
    let labels = try labels(contents(SessionLabels(), buildID: "0123456789abcdef"))
    #expect(SessionLabels.Name.allCases.map { labels[$0] } == ["app", "0123456789ab", "", "host"])
    #expect(labels.isInstanceDefaulted && labels.tags.isEmpty)
    #expect(try self.labels(contents(SessionLabels())).release == "unknown")
  }

  @Test func inAStoreOfAnOlderMonitorTheImageOfTheProgramTellsTheRelease() throws {
    var contents = contents(SessionLabels())
    contents.storedImages[1] = [
      ImageRecord(path: "/lib/libx.so", buildID: "ffffffffffffffff", base: 0, start: 0, end: 1),
      ImageRecord(path: "/usr/bin/app", buildID: "abcdef0123456789", base: 0, start: 1, end: 2),
    ]
    #expect(try labels(contents).release == "abcdef012345")
  }

  @Test func aProcessThatTellsNothingStillHasAServiceAndAnInstance() throws {
    var contents = contents(SessionLabels())
    contents.storedSessions[0].record.command = []
    contents.storedSessions[0].record.process.host = ""
    let labels = try labels(contents)
    #expect(labels.service == "unknown" && labels.instance == "unknown")
  }

  @Test func jsonHasThemAll() throws {
    func session(_ contents: HandMadeContents) throws -> [String: Any] {
      try JSONText { try JSONRenderer().render(try contents.report(), into: $0) }.object.list("sessions")[0]
    }
    let said = try session(contents(Self.said))
    #expect(said["service"] as? String == "checkout" && said["release"] as? String == "4.2.0")
    #expect(said["environment"] as? String == "production" && said["instance"] as? String == "web-1")
    #expect(said["tags"] as? [String: String] == Self.said.tags)
    let nothing = try session(contents(SessionLabels()))
    #expect(nothing["service"] as? String == "app" && nothing["instance"] as? String == "host")
    #expect(nothing.isNull("release") && nothing.isNull("environment"))
    #expect((nothing["tags"] as? [String: String])?.isEmpty == true)
  }

  @Test func textsShowWhatWasSaidAndNothingElse() throws {
    func columns(_ contents: HandMadeContents) throws -> [String] {
      let report = try contents.report()
      return SessionsSection.section(report, limit: 5).table?.columns.map(\.title) ?? []
    }
    let plain = try columns(contents(SessionLabels()))
    #expect(plain == ["#", "command", "pid", "host", "started", "watched", "threshold", "ended"])
    #expect(
      try columns(contents(Self.said))
        == ["#", "command", "service", "release", "environment", "instance", "tags"] + plain.dropFirst(2))
    #expect(try columns(contents(SessionLabels(release: "5"))) == ["#", "command", "release"] + plain.dropFirst(2))
    var both = contents(Self.said)
    var other = both.storedSessions[0]
    (other.id, other.record.labels) = (2, SessionLabels())
    both.storedSessions.append(other)
    let rows = SessionsSection.section(try both.report(), limit: 5).table?.rows ?? []
    #expect(rows.last.map { $0[2...6].map(\.text) } == ["", "", "", "", ""])
    let report = try contents(Self.said).report()
    var style = TerminalStyle()
    style.width = 200
    for text in [TextRenderer(style: style).render(report), MarkdownRenderer().render(report)] {
      for word in ["4.2.0", "production", "web-1", "region=eu tier=free"] { #expect(text.contains(word), "\(word)") }
    }
    for line in TextRenderer().render(report).split(separator: "\n") {
      #expect(DisplayText.width(of: String(line)) <= 100, "\(line)")
    }
  }
}
