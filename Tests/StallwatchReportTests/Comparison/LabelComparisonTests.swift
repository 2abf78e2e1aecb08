import StallwatchCore
import StallwatchStore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

/// What a comparison says of the labels of its sides.
@Suite struct LabelComparisonTests {
  /// A store with one session of these labels.
  private func store(_ labels: SessionLabels, session: Int32) -> (String, HandMadeContents) {
    var contents = HandMadeContents.busy
    contents.storedSessions[0].record.command = ["/opt/bin/app", "--fast"]
    contents.storedSessions[0].record.process.pid = session
    contents.storedSessions[0].record.labels = labels
    return ("store", contents)
  }

  private func comparison(_ base: [SessionLabels], _ new: [SessionLabels]) throws -> Comparison {
    let stores = (base + new).enumerated().map { store($1, session: Int32($0) + 1) }
    return try Comparer().compare(base: Array(stores.prefix(base.count)), new: Array(stores.dropFirst(base.count)))
  }

  private func sides(_ comparison: Comparison) throws -> [[String: Any]] {
    let object = try JSONText { try ComparisonJSONRenderer().render(comparison, into: $0) }.object
    return [try object.object("base"), try object.object("new")]
  }

  /// The columns of the table of sides before the figures, and its rows.
  private func table(_ comparison: Comparison) throws -> (columns: [String], rows: [[String]]) {
    let table = try #require(ComparisonSections.sides(comparison).table)
    let count = try #require(table.columns.firstIndex { $0.title == "stores" })
    return (table.columns.prefix(count).map(\.title), table.rows.map { $0.prefix(count).map(\.text) })
  }

  @Test func eachSideHasTheLabelsThatAllItsSessionsHave() throws {
    let base = [
      SessionLabels(release: "1.0", environment: "test", tags: ["region": "eu", "tier": "free"]),
      SessionLabels(release: "1.0", environment: "live", tags: ["region": "eu", "tier": "paid"]),
    ]
    let comparison = try comparison(base, [SessionLabels(release: "2.0")])
    let sides = try sides(comparison)
    #expect(sides[0]["release"] as? String == "1.0" && sides[0].isNull("environment"))
    #expect(sides[0]["tags"] as? [String: String] == ["region": "eu"])
    #expect(sides[1]["release"] as? String == "2.0" && sides[1].isNull("environment"))
    for side in sides { #expect(side["service"] as? String == "app" && side["instance"] as? String == "host") }
    let table = try table(comparison)
    #expect(table.columns == ["side", "release", "environment", "tags"])
    #expect(table.rows == [["before", "1.0", "several", "region=eu"], ["now", "2.0", "", ""]])
    var style = TerminalStyle()
    style.width = 200
    let (text, markdown) = (ComparisonTextRenderer(style: style), ComparisonMarkdownRenderer())
    for text in [text.render(comparison), markdown.render(comparison)] {
      for word in ["1.0", "2.0", "several", "region=eu"] { #expect(text.contains(word), "\(word)") }
    }
  }

  @Test func textsShowNoColumnForWhatNobodySet() throws {
    let comparison = try comparison([SessionLabels()], [SessionLabels()])
    #expect(try table(comparison).columns == ["side"])
    for side in try sides(comparison) {
      #expect(side["service"] as? String == "app" && side.isNull("release"))
      #expect((side["tags"] as? [String: String])?.isEmpty == true)
    }
  }

  @Test func aSideThatNobodyNamedShowsItsDefaultBesideTheOther() throws {
    #expect(
      try table(comparison([SessionLabels()], [SessionLabels(service: "checkout")])).rows
        == [["before", "app"], ["now", "checkout"]])
  }
}
