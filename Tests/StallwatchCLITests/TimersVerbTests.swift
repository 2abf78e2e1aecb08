import Foundation
import TestPrograms
import Testing

@Suite(.serialized) struct TimersVerbTests {
  private static let stallwatch = Built.product("stallwatch")

  private func timers(_ sample: SampleStore, _ options: [String] = []) throws -> TestRun {
    try TestRun.run([Self.stallwatch, "timers", sample.path] + options)
  }

  @Test func theTextHasTheTimersTheirRemediesAndTheDrift() throws {
    let run = try timers(try SampleStore(timers: 3))
    #expect(run.exitCode == 0)
    #expect(run.errorText == "")
    #expect(run.text.contains("3 timers came due 1,420 times: 1,380 fired, 40 dropped."))
    // Sentences may go on in the next line.
    let words = run.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("timer 1: stall 1 made it late by up to 800 ms; 35 fires dropped."))
    #expect(words.contains("main: The loop itself was late:"))
    for line in run.lines { #expect(line.count <= 100, "\(line)") }
    #expect(!run.text.contains("\u{1B}"))
  }

  @Test func jsonHasTheStoresFigures() throws {
    let run = try timers(try SampleStore(timers: 3), ["--format", "json"])
    let document = try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
    #expect(document["schema"] as? String == "stallwatch.timers/1")
    let timers = try #require(document["timers"] as? [[String: Any]])
    #expect(timers.map { $0["name"] as? String } == ["timer 1", "timer 2", "timer 3"])
    #expect(timers[0]["due"] as? Int == 500)
    #expect(timers[0]["dropped"] as? Int == 40)
    #expect(timers[0]["stalls"] as? [Int] == [1])
    #expect((timers[0]["worst"] as? [String: Any])?["lateness_ns"] as? Int == 800_000_000)
    let drift = try #require(document["drift"] as? [String: Any])
    #expect(drift["interval_ns"] as? Int == 100_000_000)
    #expect(drift["ticks"] as? Int == 100)
    #expect(drift["dropped"] as? Int == 8)
    #expect(try #require(drift["explained_by_stalls"] as? Double) > 0.99)
  }

  @Test func aStoreWithoutTimersSaysWhy() throws {
    let run = try timers(try SampleStore())
    #expect(run.exitCode == 0)
    #expect(run.text.contains("No timer was seen."))
  }

  @Test func readingLeavesTheStoreAsItWas() throws {
    let sample = try SampleStore(timers: 1)
    let before = try Data(contentsOf: URL(fileURLWithPath: sample.path))
    for options in [[], ["--format", "json"]] { #expect(try timers(sample, options).exitCode == 0) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == before)
  }

  @Test func aStallShowsTheTimersThatItHurt() throws {
    let sample = try SampleStore(timers: 3)
    let run = try TestRun.run([Self.stallwatch, "show", sample.path, "1"])
    #expect(run.text.contains("TIMERS IT DELAYED"))
    #expect(run.lines.contains { $0.hasPrefix("timer 1") && $0.contains("800 ms") })
    #expect(!run.text.contains("timer 2"))
  }
}
