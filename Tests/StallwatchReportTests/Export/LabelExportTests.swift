import Foundation
import StallwatchCore
import StallwatchStore
import Testing

@testable import StallwatchFormats

/// The labels of sessions in exports: JSON lines have all of them, traces those that somebody set.
@Suite(.serialized) struct LabelExportTests {
  private static let said = SessionLabels(
    release: "4.2.0", environment: "production", tags: ["region": "eu", "tier": "free"])

  private func example(_ labels: SessionLabels) throws -> SampledExample {
    var example = try SampledExample()
    example.contents.storedSessions[0].record.command = ["/opt/bin/app", "--fast"]
    example.contents.storedSessions[0].record.labels = labels
    return example
  }

  private func file(_ format: ExportFormat, _ labels: SessionLabels) throws -> [String: Any] {
    let text = try example(labels).export(format)
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func everyLineHasTheLabelsOfItsSessionWithTheirDefaults() throws {
    let lines = try example(Self.said).export(.jsonl).split(separator: "\n")
    #expect(lines.count == 5)
    for line in lines {
      let stall = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(stall["service"] as? String == "app" && stall["instance"] as? String == "host")
      #expect(stall["release"] as? String == "4.2.0" && stall["environment"] as? String == "production")
      #expect(stall["tags"] as? [String: String] == Self.said.tags)
    }
  }

  @Test func perfettoHasThemAtTheProcessAndInItsMetadata() throws {
    let file = try file(.perfetto, Self.said)
    let process = try file.object("otherData").object("process 1")
    let expected = ["release": "4.2.0", "environment": "production", "tag.region": "eu", "tag.tier": "free"]
    #expect(process as? [String: String] == expected)
    let labels = try file.list("traceEvents").filter { $0["name"] as? String == "process_labels" }
    #expect(labels.count == 1 && labels[0]["ph"] as? String == "M" && labels[0]["pid"] as? Int == 1)
    let text = try labels[0].object("args")["labels"] as? String
    #expect(text == "release 4.2.0,environment production,tag.region eu,tag.tier free")
  }

  @Test func firefoxHasThemInItsMetadata() throws {
    let sections = try file(.firefox, Self.said).object("meta").list("extra")
    #expect(sections.map { $0["label"] as? String } == ["Session"])
    let entries = try sections[0].list("entries")
    #expect(entries.map { $0["label"] as? String } == ["release", "environment", "tag.region", "tag.tier"])
    #expect(entries.map { $0["value"] as? String } == ["4.2.0", "production", "eu", "free"])
    #expect(entries.allSatisfy { $0["format"] as? String == "string" })
  }

  @Test func speedscopeHasThoseOfAllSessionsInItsName() throws {
    let name = { (file: [String: Any]) in file["name"] as? String }
    #expect(try name(file(.speedscope, SessionLabels(release: "4.2.0"))) == "/opt/bin/app --fast (release 4.2.0)")
    var example = try example(SessionLabels(release: "4.2.0", tags: ["region": "eu"]))
    var other = example.contents.storedSessions[0]
    other.id = 2
    other.record.labels.release = "4.3.0"
    example.contents.storedSessions.append(other)
    let text = try example.export(.speedscope)
    let both = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(name(both) == "/opt/bin/app --fast (tag.region eu)")
  }

  @Test func tracesShowNoDefaults() throws {
    let perfetto = try file(.perfetto, SessionLabels())
    #expect(perfetto["otherData"] == nil)
    #expect(try !perfetto.list("traceEvents").contains { $0["name"] as? String == "process_labels" })
    #expect(try file(.firefox, SessionLabels()).object("meta")["extra"] == nil)
    #expect(try file(.speedscope, SessionLabels())["name"] as? String == "/opt/bin/app --fast")
  }
}
