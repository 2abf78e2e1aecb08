import Foundation
import TestPrograms
import Testing

/// The options that choose what of a store a verb reads.
@Suite(.serialized) struct FilterTests {
  private static let stallwatch = Built.product("stallwatch")

  private func json(_ arguments: [String]) throws -> [String: Any] {
    let run = try TestRun.run([Self.stallwatch] + arguments + ["--format", "json"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    return try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
  }

  /// The IDs of the stalls that `stalls` lists with these options.
  private func stalls(_ store: FilterStore, _ options: [String]) throws -> [Int] {
    let items = try #require(try json(["stalls", store.path] + options)["items"] as? [[String: Any]])
    return items.compactMap { $0["id"] as? Int }
  }

  @Test func stallsAreChosen() throws {
    let store = try FilterStore()
    for (options, expected) in [
      ([], [1, 2, 3, 4, 5, 6]), (["--session", "2"], [4, 5, 6]),
      (["--session", "1", "--session", "2"], [1, 2, 3, 4, 5, 6]),
      (["--service", "app"], [1, 2, 3, 4, 5, 6]), (["--release", "4.1"], [1, 2, 3]),
      (["--release", "0123456789ab"], [4, 5, 6]), (["--release", "4.1", "--loop", "worker"], [3]),
      (["--release", "4.1", "--release", "0123456789ab"], [1, 2, 3, 4, 5, 6]),
      (["--environment", "production", "--instance", "host"], [1, 2, 3]), (["--tag", "region=us"], [4, 5, 6]),
      (["--tag", "region=us", "--tag", "region=eu", "--tag", "tier=free"], [1, 2, 3]),
      (["--loop", "worker"], [3, 6]), (["--loop", "main", "--mode", "modal"], [2, 5]),
      (["--mode", FilterStore.defaultMode], [1, 3, 4, 6]), (["--cause", "blocked"], [1, 4]),
      (["--cause", "blocked", "--session", "2"], [4]), (["--cause", "0x6000"], [2, 5]),
      (["--cause", "blocked", "--cause", "0x6000"], [1, 2, 4, 5]),
      (["--annotation", "screen=Settings"], [2, 5]), (["--min-duration", "300ms"], [2, 3, 5, 6]),
      (["--min-duration", "301ms"], [3, 6]),
      // Up to the last sign of life of the last session, or of the sessions that are chosen.
      (["--last", "20s"], [6]), (["--last", "60s"], [5, 6]), (["--session", "1", "--last", "60s"], [2, 3]),
      // On the day of the last session, in UTC.
      (["--since", "11:20"], [4, 5, 6]), (["--until", "11:00"], [1, 2, 3]),
      (["--since", "10:21:00", "--until", "10:22"], [2]),
      (["--since", "2026-05-01T11:21:00Z"], [5, 6]), (["--until", "2026-05-01T10:20:40.5Z"], [1]),
      // A stall is in a range that it reaches into: the third lasts from 10:22:00 to 10:22:02.
      (["--since", "10:22:01", "--until", "10:23"], [3]), (["--since", "10:22:02", "--until", "11:20:50"], [4]),
    ] as [([String], [Int])] {
      #expect(try stalls(store, options) == expected, "\(options)")
    }
  }

  @Test func aRangeCutsTheTimeOfLoops() throws {
    let store = try FilterStore()
    let report = try json(["report", store.path, "--since", "10:21:00", "--until", "10:21:10", "--loop", "main"])
    let sessions = try #require(report["sessions"] as? [[String: Any]])
    #expect(sessions.map { $0["id"] as? Int } == [1])
    #expect(sessions[0]["started_at"] as? String == "2026-05-01T10:21:00.000000000Z")
    #expect((sessions[0]["duration_ns"] as? Int) == 10_000_000_000)
    let loops = try #require(report["loops"] as? [[String: Any]])
    #expect(loops.map { $0["name"] as? String } == ["main"])
    let modes = try #require(loops[0]["modes"] as? [[String: Any]])
    // Half a second of each of ten.
    #expect(modes.map { $0["busy_ns"] as? Int } == [5_000_000_000, 5_000_000_000])
    #expect(modes.map { $0["waiting_ns"] as? Int } == [5_000_000_000, 5_000_000_000])
    let filter = try #require(report["filter"] as? [String: Any])
    #expect(filter["since"] as? String == "2026-05-01T10:21:00.000000000Z")
    #expect(filter["loops"] as? [String] == ["main"])
    #expect(filter["not_cut"] as? [String] == ["timers", "profiles", "health"])
    #expect(filter["of_windows"] as? [String] == ["percentiles", "drift"])
    let whole = try json(["report", store.path])
    #expect(whole["filter"] is NSNull)
    let modal = try json(["report", store.path, "--mode", "modal"])
    let names = (modal["loops"] as? [[String: Any]])?.map { ($0["modes"] as? [Any])?.count }
    #expect(names == [1, 0, 1, 0])
  }

  @Test func labelsOfTheSessionsAreInTheAnswer() throws {
    let store = try FilterStore()
    let report = try json(["report", store.path, "--release", "4.1", "--tag", "region=eu"])
    let filter = try #require(report["filter"] as? [String: Any])
    #expect(filter["releases"] as? [String] == ["4.1"])
    #expect(filter["tags"] as? [String] == ["region=eu"])
    #expect(filter["services"] as? [String] == [] && filter["sessions"] as? [Int] == [])
    #expect((report["loops"] as? [Any])?.count == 2)
    let sessions = try #require(report["sessions"] as? [[String: Any]])
    #expect(sessions.map { $0["environment"] as? String } == ["production"])
    let text = try TestRun.run([Self.stallwatch, "report", store.path, "--release", "4.1", "--tag", "region=eu"]).text
    #expect(text.contains("Only release 4.1, tag region=eu."))
    let top = try TestRun.run([Self.stallwatch, "top", "--once", store.path, "--release", "4.1"]).text
    #expect(top.contains("release 4.1, environment production, ended after"))
  }

  @Test func timersAreThoseOfTheLoop() throws {
    let store = try FilterStore()
    let timers = try #require(try json(["timers", store.path, "--loop", "worker"])["timers"] as? [[String: Any]])
    #expect(timers.map { $0["name"] as? String } == ["flush", "flush"])
  }

  @Test(arguments: [
    ["report"], ["report", "--format", "markdown"], ["report", "--format", "html"], ["stalls"], ["timers"],
    ["check", "--budget", "BUDGET"], ["top", "--once"],
  ])
  func whatIsNotCutIsSaid(verb: [String]) throws {
    let store = try FilterStore()
    let budget = store.directory.file("budget.toml")
    try "stalls.count = 100\n".write(toFile: budget, atomically: true, encoding: .utf8)
    let options = verb.dropFirst().map { $0 == "BUDGET" ? budget : $0 }
    let run = try TestRun.run([Self.stallwatch, verb[0], store.path] + options + ["--mode", "modal"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let text = run.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("Only mode modal. Not cut that way: timers, drift, profiles"), "\(text)")
  }

  @Test func exportAndDiffSayItOnStderr() throws {
    let store = try FilterStore()
    let lines = try TestRun.run(
      [Self.stallwatch, "export", store.path, "--format", "jsonl", "--loop", "worker", "--session", "1"])
    #expect(lines.lines.count == 1)
    #expect(lines.errorText.hasPrefix("stallwatch: Only session 1, loop worker. Not cut that way: the monitor's cost"))
    let diff = try TestRun.run([Self.stallwatch, "diff", store.path, store.path, "--loop", "worker"])
    #expect(diff.exitCode == 0)
    #expect(diff.errorText.hasPrefix("stallwatch: Only loop worker."))
  }

  @Test func showKeepsToTheFilter() throws {
    let store = try FilterStore()
    #expect(try TestRun.run([Self.stallwatch, "show", store.path, "2", "--loop", "main"]).exitCode == 0)
    let other = try TestRun.run([Self.stallwatch, "show", store.path, "2", "--loop", "worker"])
    #expect(other.exitCode == 2)
    #expect(other.errorText.contains("there is no stall 2 among those that the options choose"))
  }

  @Test(arguments: [
    (["--loop", "render"], "no loop 'render'; there is 'main' and 'worker'"),
    (["--mode", "x"], "no mode 'x'; there is 'kCFRunLoopDefaultMode' and 'modal'"),
    (["--loop", "worker", "--mode", "modal"], "no mode 'modal'; there is 'kCFRunLoopDefaultMode'"),
    (["--session", "7"], "no session '7'; there is '1' and '2'"),
    (["--service", "x"], "no service 'x'; there is 'app'"),
    (["--release", "5"], "no release '5'; there is '4.1' and '0123456789ab'"),
    (["--environment", "x"], "no environment 'x'; there is 'production'"),
    (["--release", "0123456789ab", "--environment", "production"], "no environment 'production'; there is none"),
    (["--instance", "x"], "no instance 'x'; there is 'host'"),
    (["--tag", "region=x"], "no tag 'region=x'; there is 'region=eu', 'tier=free' and 'region=us'"),
    (["--annotation", "screen=X"], "no annotation 'screen=X'; there is 'screen=Feed' and 'screen=Settings'"),
    (["--cause", "decode"], "no cause 'decode'; there is 'running', 'blocked', 'starved', '0x"),
    (["--since", "12:00"], "nothing was recorded in that time; the sessions are from 2026-05-01 10:20:30 UTC to "),
    (["--since", "11:00", "--until", "10:00"], "the range of time ends before it begins"),
  ])
  func anUnknownNameIsAnsweredWithWhatThereIs(options: [String], answer: String) throws {
    let store = try FilterStore()
    for verb in ["report", "stalls", "timers"] {
      let run = try TestRun.run([Self.stallwatch, verb, store.path] + options)
      #expect(run.exitCode == 2)
      #expect(run.errorText.hasPrefix("stallwatch: \(store.path): \(answer)"), "\(run.errorText)")
      #expect(run.errorText.split(separator: "\n").count == 1)
    }
  }

  @Test func badMomentsAreRefused() throws {
    let store = try FilterStore()
    for options in [
      ["--since", "yesterday"], ["--until", "25:00"], ["--annotation", "screen"], ["--last", "10"],
      ["--tag", "region"],
    ] {
      let run = try TestRun.run([Self.stallwatch, "report", store.path] + options)
      #expect(run.exitCode == 2)
      #expect(run.errorText.split(separator: "\n").count == 1)
    }
    let both = try TestRun.run([Self.stallwatch, "report", store.path, "--since", "10:00", "--last", "10s"])
    #expect(both.errorText.contains("exclude each other"))
  }

  @Test func aNameOfOwnCodeIsNotCalledWrongWhereNoImageIsKnown() throws {
    let store = try SampleStore(sampled: true)
    let run = try TestRun.run([Self.stallwatch, "report", store.path, "--own", "libnothing.so"])
    #expect(run.exitCode == 0)
    // Its addresses lie in no image, so nobody can say that a name is wrong.
    #expect(run.errorText == "")
  }
}
