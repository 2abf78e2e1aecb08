import Foundation
import TestPrograms
import Testing

/// The verbs that ask a fleet, on the stores of a small one.
@Suite(.serialized) struct FleetVerbTests {
  private static let stallwatch = Built.product("stallwatch")
  /// Four instances, four days, with one cause slower in the newer release.
  private static let stores: Result<TestDirectory, any Error> = Result {
    let directory = try TestDirectory()
    let run = try TestRun.run([Built.product("fleet-maker"), directory.path, "6", "4", "5", "1.5", "1"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    return directory
  }

  private func ask(_ words: [String]) throws -> TestRun {
    try TestRun.run([Self.stallwatch, "fleet"] + words + ["--from", try Self.stores.get().path])
  }

  private func json(_ words: [String]) throws -> [String: Any] {
    let run = try ask(words + ["--format", "json"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    return try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
  }

  @Test func everyQuestionHasEveryFormat() throws {
    let questions = [
      ["report"], ["causes"], ["cause", "Feed.decode(_:)"], ["diff", "--base", "1.0", "--new", "2.0"],
    ]
    for question in questions {
      for format in ["text", "json", "markdown", "html"] {
        let run = try ask(question + ["--format", format])
        #expect(run.exitCode == 0, "\(question) \(format): \(run.errorText)")
        #expect(run.errorText.isEmpty)
        switch format {
        case "json": #expect(run.text.contains("\"schema\": \"stallwatch.fleet/1\""))
        case "markdown": #expect(run.text.hasPrefix("# Stallwatch fleet"))
        case "html":
          #expect(run.text.hasPrefix("<!doctype html>"))
          #expect(!run.text.contains("<script"))
        default: #expect(run.text.contains("feed"))
        }
      }
    }
  }

  @Test func filtersCutWhatIsAsked() throws {
    let all = try json(["report"])
    let one = try json(["report", "--release", "2.0"])
    #expect((all["releases"] as? [Any])?.count == 2)
    #expect((one["releases"] as? [Any])?.count == 1)
    let watched = { (report: [String: Any]) in
      ((report["all"] as? [String: Any])?["watched_ns"] as? NSNumber)?.uint64Value
    }
    #expect(try #require(watched(one)) < (try #require(watched(all))))
    let lane = try json(["report", "--lane", "images"])
    #expect((lane["lanes"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["images"])
    let last = try json(["report", "--last", "1d"])
    #expect(try #require(watched(last)) < (try #require(watched(all))))
  }

  @Test func namesThatAreNotKnownAreAnsweredWithThoseThatAre() throws {
    let run = try ask(["report", "--release", "3.0"])
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains("no release '3.0'; there is '1.0' and '2.0'"))
    #expect(try ask(["diff", "--base", "1.0", "--new", "9"]).errorText.contains("no release '9'"))
    #expect(try ask(["report", "--service", "shop"]).errorText.contains("no service 'shop'; there is 'feed'"))
    #expect(try ask(["cause", "nothing"]).errorText.contains("no cause 'nothing'; there is "))
    #expect(try TestRun.run([Self.stallwatch, "fleet", "report"]).errorText.contains("--from is missing"))
  }

  @Test func anExampleOpensWhereItsStoreIs() throws {
    let detail = try json(["cause", "Feed.decode(_:)"])
    let example = try #require((detail["examples"] as? [[String: Any]])?.first)
    let command = try #require(example["command"] as? String)
    let words = command.split(separator: " ").dropFirst().map(String.init)
    let run = try TestRun.run([Self.stallwatch] + words + ["--format", "json"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let shown = try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
    let stall = try #require(shown["stall"] as? [String: Any])
    #expect(stall["duration_ns"] as? UInt64 == example["duration_ns"] as? UInt64)
    let broken = try TestRun.run([Self.stallwatch, "show", words[1], "0123:4"])
    #expect(broken.exitCode == 2)
  }

  @Test func aGateSaysByItsExitCode() throws {
    let directory = try TestDirectory()
    let budget = directory.file("fleet.toml")
    try "[release]\nhang_rate = 100000\n".write(toFile: budget, atomically: true, encoding: .utf8)
    #expect(try ask(["check", "--budget", budget]).exitCode == 0)
    try "[release]\nhang_rate = 0\n[lane.main.span]\np99 = \"1h\"\n".write(
      toFile: budget, atomically: true, encoding: .utf8)
    let run = try ask(["check", "--budget", budget])
    #expect(run.exitCode == 1)
    #expect(run.text.contains("breaks release.hang_rate"))
    try "[release]\nhangrate = 0\n".write(toFile: budget, atomically: true, encoding: .utf8)
    let misspelled = try ask(["check", "--budget", budget])
    #expect(misspelled.exitCode == 2)
    #expect(misspelled.errorText.contains("did you mean hang_rate"))
    let diff = ["diff", "--base", "1.0", "--new", "2.0", "--fail-on-regression"]
    #expect(try ask(diff).exitCode == 1)
    #expect(try ask(["diff", "--base", "1.0", "--new", "2.0"]).exitCode == 0)
  }

  @Test func theDocumentsNameEveryKey() throws {
    let article = try String(
      contentsOfFile: "\(Built.package)/Sources/Stallwatch/Stallwatch.docc/TheJSONReport.md", encoding: .utf8)
    let budget = try Self.stores.get().file("gate.toml")
    try "[release]\nhang_rate = 100000\n".write(toFile: budget, atomically: true, encoding: .utf8)
    for words in [
      ["report"], ["causes"], ["cause", "Feed.decode(_:)"], ["diff", "--base", "1.0", "--new", "2.0"],
      ["check", "--budget", budget],
    ] {
      for key in Self.keys(of: try json(words)) { #expect(article.contains("`\(key)`"), "\(words[0]): \(key)") }
    }
  }

  private static func keys(of value: Any) -> Set<String> {
    if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(keys(of: $1)) } }
    guard let object = value as? [String: Any] else { return [] }
    return object.reduce(into: Set(object.keys)) { keys, member in
      if member.key != "losses" { keys.formUnion(self.keys(of: member.value)) }
    }
  }
}
