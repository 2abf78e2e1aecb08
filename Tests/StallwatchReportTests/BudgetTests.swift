import Foundation
import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchStore

@Suite("A budget")
struct BudgetTests {
  private func read(_ tables: [String: BudgetValue]) throws -> Budget { try Budget(.table(tables)) }

  private func judge(
    _ tables: [String: BudgetValue], _ contents: HandMadeContents = .busy, today: String = "2026-06-01",
    base: HandMadeContents? = nil
  ) throws -> BudgetReport {
    try BudgetJudge(read(tables), today: today).judge(
      contents, store: "run.stallwatch", base: base.map { ("base.stallwatch", $0) })
  }

  /// A table of tables along a path.
  private func nested(_ path: [String], _ value: BudgetValue) -> BudgetValue {
    path.reversed().reduce(value) { .table([$1: $0]) }
  }

  private func verdict(_ path: [String], _ value: BudgetValue) throws -> BudgetReport.Verdict {
    let report = try judge([path[0]: nested(Array(path.dropFirst()), value)])
    return try #require(report.results.first).verdict
  }

  /// What is recorded of the busy afternoon, with a limit that holds and one that does not.
  private static let limits: [(path: [String], holds: BudgetValue, fails: BudgetValue)] = [
    (["stalls", "count"], .number(6), .number(5)),
    (["stalls", "microhang"], .number(3), .number(2)),
    (["stalls", "hang"], .number(2), .number(1)),
    (["stalls", "severe"], .number(1), .number(0)),
    (["stalls", "congestion"], .number(1), .number(0)),
    (["stalls", "total"], .text("4s"), .text("3s")),
    (["stalls", "worst"], .text("2400ms"), .text("2399ms")),
    (["stalls", "jank"], .number(1_000), .number(1)),
    (["stalls", "hang_rate"], .number(3_600), .number(1)),
    (["loop", "main", "stalls"], .number(6), .number(5)),
    (["loop", "main", "utilization"], .number(1), .number(0)),
    (["loop", "main", "span", "max"], .text("2400ms"), .text("2s")),
    (["loop", "main", "gap", "p50"], .text("1s"), .text("1ms")),
    (["loop", "main", "service", "max"], .text("3s"), .text("2s")),
    (["loop", "main", "mode", "com.example.photos.tracking", "span", "p99"], .text("1ms"), .text("100us")),
    (["loop", "main", "mode", "kCFRunLoopDefaultMode", "starved"], .text("400ms"), .text("399ms")),
    (["lane", "main", "span", "max"], .text("2400ms"), .text("2s")),
    (["lane", "main", "mode", "kCFRunLoopDefaultMode", "starved"], .text("400ms"), .text("399ms")),
    (["health", "losses"], .number(4), .number(3)),
    (["health", "blind"], .text("51ms"), .text("50ms")),
    (["health", "blind_share"], .number(0.1), .number(0)),
    (["health", "monitor_share"], .number(0.1), .number(0)),
  ]

  @Test("holds where the value is within the limit, and not where it is beyond", arguments: limits.indices)
  func limit(place: Int) throws {
    let (path, holds, fails) = Self.limits[place]
    #expect(try verdict(path, holds) == .held)
    #expect(try verdict(path, fails) == .exceeded)
  }

  @Test("names key, limit, value and the stall to look at")
  func finding() throws {
    let report = try judge(["stalls": .table(["hang": .number(0)])])
    let finding = try #require(report.findings.first)
    #expect(finding.key == "stalls.hang")
    #expect(finding.stall == 6)
    let text = BudgetTextRenderer().render(report)
    #expect(text.contains("Over budget: 1 finding, 0 limits held."))
    #expect(text.contains("stalls.hang: 2, at most 0 allowed; see 'stallwatch show run.stallwatch 6'"))
  }

  @Test("does not say that a value exceeds what reads the same")
  func justOver() {
    let result = BudgetReport.Result(
      key: "health.monitor_share", unit: .share, limit: 0.01, value: 0.010_04, verdict: .exceeded)
    #expect(BudgetWords.sentence(result, store: "a") == "health.monitor_share: just over the 1.0 % allowed")
  }

  @Test("does not pass where the loop, mode or timer that it names was not seen")
  func unseen() throws {
    #expect(try verdict(["loop", "render", "span", "p99"], .text("1h")) == .unseen)
    #expect(try verdict(["loop", "main", "mode", "other", "span", "p99"], .text("1h")) == .unseen)
    #expect(try verdict(["timer", "poll", "dropped"], .number(1_000)) == .unseen)
    #expect(try verdict(["drift", "p99"], .text("1h")) == .unseen)
    let text = BudgetTextRenderer().render(try judge(["loop": nested(["render", "stalls"], .number(0))]))
    #expect(text.contains("no such lane was seen; the store has \"main\" and \"thumbnail-worker\""))
  }

  @Test("does not pass where a mode was never run, or a timer never due")
  func idle() throws {
    var contents = HandMadeContents.busy
    contents.storedModes.append(
      StoredMode(
        id: 102, loop: 1, laneKind: .runLoop, name: "modal", attachedNs: HandMadeContents.start, entries: 0,
        iterations: 0,
        starved: 0, metrics: [:]))
    contents.storedTimers[1] = [timer(fired: 0, dropped: 0)]
    let report = try judge(
      [
        "loop": nested(["main", "mode", "modal", "starved"], .text("1h")),
        "timer": nested(["poll", "dropped"], .number(0)),
      ], contents)
    #expect(report.findings.map(\.verdict) == [.unseen, .unseen])
  }

  @Test("points at the stall of the loop that it names, however many worse ones others have")
  func otherLoops() throws {
    var contents = HandMadeContents.busy
    for id in 100..<300 { contents.addStall(id: Int64(id), loop: 1, duration: 5 * .second) }
    contents.addStall(id: 9, loop: 2, duration: 55 * .millisecond)
    let report = try judge(["loop": nested(["thumbnail-worker", "stalls"], .number(0))], contents)
    #expect(report.findings.map(\.stall) == [7])
  }

  @Test("sees a stall that is not allowed behind a hundred longer ones that are")
  func behindAllowed() throws {
    var example = try SampledExample()
    let cause = try #require(try example.contents.report().stalls.signatures.first { $0.worstStall == 1 })
    for id in Int64(100)..<300 {
      example.contents.addStall(id: id, duration: 900 * .millisecond, at: Nanoseconds(id) * .second)
      example.contents.storedSamples[id] = example.contents.storedSamples[1]
    }
    let report = try judge(
      [
        "stalls": .table(["worst": .text("149ms")]),
        "allow": .list([
          .table(["signature": .text(cause.signature.key), "owner": .text("x"), "until": .date("2099-01-01")])
        ]),
      ], example.contents)
    #expect(report.findings.map(\.stall) == [3])
    #expect(report.findings.first?.value == Double(150 * .millisecond as Nanoseconds))
  }

  @Test("does not pass where nothing was observed")
  func nothing() throws {
    var empty = HandMadeContents()
    empty.addSession()
    let report = try judge(["stalls": .table(["hang": .number(0)])], empty)
    #expect(report.findings.map(\.verdict) == [.unseen])
    #expect(report.caveat != nil)
    let none = try judge(["health": .table(["losses": .number(0)])], HandMadeContents())
    #expect(none.findings.map(\.verdict) == [.unseen])
    let base: [String: BudgetValue] = ["base": .table(["store": .text("base.stallwatch")])]
    #expect(try judge(base, base: empty).findings.map(\.verdict) == [.unseen])
    #expect(try judge(base, empty, base: .busy).findings.map(\.verdict) == [.unseen])
  }

  @Test("says when a session is still being recorded")
  func running() throws {
    var contents = HandMadeContents()
    contents.addSession(ended: .running)
    contents.addLoop(iterations: 1, samples: [.span: [.millisecond], .service: [.millisecond]])
    let report = try judge(["stalls": .table(["hang": .number(0)])], contents)
    #expect(report.findings.isEmpty)
    #expect(report.caveat == "A session is still being recorded.")
  }

  /// `poll`, hurt by stall 3, 5 ms late.
  private func timer(fired: UInt64, dropped: UInt64) -> StoredTimer {
    var ledger = TimerDelta(timer: TimerID(rawValue: 1), atNs: 0)
    (ledger.fired, ledger.dropped) = (fired, dropped)
    return StoredTimer(
      id: 1, session: 1, loop: 1,
      record: TimerRecord(
        id: TimerID(rawValue: 1), loop: nil, name: "poll", kind: .runLoop, origin: 0, interval: .second, tolerance: 0,
        modes: [], madeNs: 0),
      ledger: ledger, lateness: StoredMetric(samples: [5 * .millisecond]), drops: [],
      stalls: [StoredStallTimer(stall: 3, timer: 1, late: 1, dropped: 10, worstLateness: .second)])
  }

  @Test("holds timers by their names")
  func timers() throws {
    var contents = HandMadeContents.busy
    contents.storedTimers[1] = [timer(fired: 90, dropped: 10)]
    let limits = { (dropped: Double, share: Double, late: String) in
      [
        "timer": self.nested(
          ["poll"],
          .table([
            "dropped": .number(dropped), "dropped_share": .number(share), "lateness": .table(["max": .text(late)]),
          ]))
      ]
    }
    #expect(try judge(limits(10, 0.1, "5ms"), contents).findings.isEmpty)
    let report = try judge(limits(9, 0.09, "4ms"), contents)
    #expect(report.findings.map(\.verdict) == [.exceeded, .exceeded, .exceeded])
    #expect(report.findings.allSatisfy { $0.stall == 3 })
  }

  @Test("lets allowed causes be, until their day is over")
  func allowed() throws {
    let example = try SampledExample()
    let causes = try example.contents.report().stalls.signatures
    let counts = try example.contents.report().stalls.counts
    let entries = { (until: String) in
      BudgetValue.list(
        causes.map { .table(["signature": .text($0.signature.key), "owner": .text("team"), "until": .date(until)]) })
    }
    let sampled = causes.map(\.count).reduce(0, +)
    let tables = { (until: String) in
      ["stalls": BudgetValue.table(["count": .number(Double(counts.count - sampled))]), "allow": entries(until)]
    }
    let held = try judge(tables("2026-06-01"), example.contents)
    #expect(held.findings.isEmpty)
    #expect(held.allowed.map(\.stalls).reduce(0, +) == sampled)
    let over = try judge(tables("2026-05-31"), example.contents)
    #expect(over.findings.map(\.verdict) == [.exceeded] + causes.map { _ in .expired })
    #expect(BudgetTextRenderer().render(over).contains("no longer allowed"))
    let byTitle = try judge(
      [
        "stalls": .table(["count": .number(Double(counts.count - causes[0].count))]),
        "allow": .list([
          .table(["signature": .text(causes[0].signature.title), "owner": .text("x"), "until": .date("2099-01-01")])
        ]),
      ], example.contents)
    #expect(byTitle.findings.isEmpty)
  }

  @Test("holds a recording against a base store")
  func base() throws {
    let tables: [String: BudgetValue] = ["base": .table(["store": .text("base.stallwatch")])]
    #expect(try judge(tables, .busy, base: .busy).findings.isEmpty)
    func sessions(_ span: Nanoseconds) -> HandMadeContents {
      var contents = HandMadeContents()
      for number in 1...5 as ClosedRange<Int64> {
        contents.addSession(id: number)
        contents.addLoop(
          id: number, session: number, samples: [.span: (0..<2_000).map { span + $0 }, .sources: [10 * .second]])
      }
      return contents
    }
    let (slow, fast) = (sessions(40_000_000), sessions(10_000_000))
    let report = try judge(tables, slow, base: fast)
    #expect(Set(report.findings.map(\.verdict)) == [.worse])
    #expect(report.caveat == nil)
    #expect(try judge(tables, fast, base: slow).findings.isEmpty)
    // One recording shows nothing that is worse, and the answer says so.
    #expect(try judge(tables, .busy, base: .busy).caveat?.contains("record 5 sessions of each") == true)
  }

  @Test("counts the hang rate over all loops of a name, and over a minute at least")
  func hangRate() throws {
    var contents = HandMadeContents()
    for number in 1...2 as ClosedRange<Int64> {
      contents.addSession(id: number)
      // One loop was seen for half a second, half of which was a hang; the other one for an hour without any.
      let waited: Nanoseconds = number == 1 ? 200 * .millisecond : 3_600 * .second
      contents.addLoop(id: number, session: number, samples: [.waiting: [waited], .sources: [300 * .millisecond]])
    }
    contents.addStall(id: 1, loop: 1, session: 1, duration: 300 * .millisecond)
    let tables: [String: BudgetValue] = [
      "loop": .table(["main": .table(["hang_rate": .number(0.1)])]), "stalls": .table(["hang_rate": .number(0.1)]),
    ]
    let both = try judge(tables, contents).results
    #expect(both.count == 2)
    for result in both {
      let value = try #require(result.value)
      #expect((value - 3_600 * 0.3 / 3_600.8).magnitude < 0.001)
      #expect(result.verdict == .exceeded)
    }
    contents.storedSessions.removeLast()
    // Half a second does not show that it hangs for half of an hour.
    let alone = try judge(tables, contents).results
    #expect(alone.allSatisfy { (($0.value ?? 0) - 3_600 * 0.3 / 60).magnitude < 0.001 })
  }

  @Test("refuses keys and values that it does not know, and names what is near")
  func refusals() throws {
    let cases: [(BudgetValue, BudgetError)] = [
      (.table([:]), .empty),
      (.table(["allow": .list([])]), .empty),
      (.table(["stall": .table([:])]), .unknownKey("stall", nearest: ["stalls"])),
      (.table(["stalls": .table(["hangs": .number(0)])]), .unknownKey("stalls.hangs", nearest: ["hang"])),
      (
        .table(["loop": nested(["main", "span", "p95"], .text("1ms"))]),
        .unknownKey("loop.main.span.p95", nearest: ["p90", "p99"])
      ),
      (
        .table(["loop": nested(["main", "spam", "p99"], .text("1ms"))]),
        .unknownKey("loop.main.spam", nearest: ["span"])
      ),
      (
        .table(["loop": nested(["main", "modes", "x"], .number(1))]),
        .unknownKey("loop.main.modes", nearest: ["mode"])
      ),
      (
        .table(["base": .table(["store": .other])]),
        .badValue("base.store", expected: "the path of a store, relative to the budget file's folder")
      ),
      (
        .table(["stalls": .table(["hang": .number(-1)])]),
        .badValue("stalls.hang", expected: "a whole number, 0 or more")
      ),
      (
        .table(["loop": nested(["main", "span", "p99"], .number(8))]),
        .badValue("loop.main.span.p99", expected: "a duration such as \"8ms\"")
      ),
      (
        .table(["stalls": .table(["hang": .number(.infinity)])]),
        .badValue("stalls.hang", expected: "a whole number, 0 or more")
      ),
      (.table(["loop": .number(1)]), .badValue("loop", expected: "a table: [loop]")),
      (
        .table(["loop": nested(["render"], .table([:]))]),
        .badValue("loop.render", expected: "a table with at least one limit")
      ),
      (
        .table(["timer": nested(["poll"], .table([:]))]),
        .badValue("timer.poll", expected: "a table with at least one limit")
      ),
    ]
    for (value, expected) in cases {
      #expect(throws: expected) { try Budget(value) }
    }
  }

  @Test("names the culprit of a finding's stall, and stands at its line where that lies in the checkout")
  func culprits() throws {
    let example = try SampledExample()
    let budget = try Budget(.table(["stalls": .table(["hang": .number(0), "count": .number(100)])]))
    let report = try withExtendedLifetime(example) {
      try BudgetJudge(budget, today: "2026-01-01").judge(example.contents, store: "run.stallwatch")
    }
    let finding = try #require(report.findings.first)
    let culprit = try #require(finding.culprit)
    let location = try #require(culprit.location)
    let line = try #require(location.line)
    #expect(culprit.sentence.contains("\(location.label)"))
    let folder = String(location.path[..<(location.path.lastIndex(of: "/") ?? location.path.startIndex)])
    let name = String(location.path.dropFirst(folder.count + 1))
    let inside = BudgetGitHubRenderer(file: "ci/budget.toml", checkouts: ["/elsewhere", folder]).render(report)
    #expect(inside.hasPrefix("::error file=\(name),line=\(line),title=stallwatch stalls.hang::"), "\(inside)")
    #expect(inside.contains(culprit.sentence))
    let outside = BudgetGitHubRenderer(file: "ci/budget.toml", checkouts: [folder + "/deeper"]).render(report)
    #expect(outside.hasPrefix("::error file=ci/budget.toml,title=stallwatch stalls.hang::"))
    #expect(BudgetJUnitRenderer().render(report).contains(HTMLText.escaped(culprit.sentence)))
    let json = try JSONText { try BudgetJSONRenderer().render(report, into: $0) }.object
    let result = try #require(try json.list("results").first { $0["verdict"] as? String == "exceeded" })
    #expect(result["line"] as? Int == line)
    #expect(result["cause"] as? String == culprit.sentence)
  }

  @Test("is shown in every format, hostile names as text")
  func forms() throws {
    let name = "a:b,c\n%\u{1B}<x>&\""
    let report = try judge(["loop": nested([name, "stalls"], .number(0)), "stalls": .table(["count": .number(100)])])
    let github = BudgetGitHubRenderer(file: "ci/budget.toml").render(report)
    #expect(github.hasPrefix("::error file=ci/budget.toml,title=stallwatch loop."))
    #expect(github.split(separator: "\n").count == 2)
    #expect(!github.contains("\u{1B}"))
    let xml = BudgetJUnitRenderer().render(report)
    #expect(xml.contains("tests=\"2\" failures=\"1\""))
    #expect(try XMLReading(xml).cases == 2)
    let json = try JSONText { try BudgetJSONRenderer().render(report, into: $0) }.object
    #expect(json["schema"] as? String == "stallwatch.check/1")
    #expect(json["held"] as? Bool == false)
    #expect(try json.list("results").count == 2)
  }
}

/// Just enough of an XML reader to see that a document is well formed: every tag is closed in its turn, and no mark stands
/// where text is.
private struct XMLReading {
  private(set) var cases = 0

  init(_ text: String) throws {
    var open: [String] = []
    for piece in text.split(separator: "<").dropFirst() {
      let parts = piece.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
      let tag = try #require(parts.first)
      #expect(parts.count == 2)
      let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter })
      if name == "testcase", !tag.hasPrefix("/") { cases += 1 }
      if tag.hasPrefix("?") || tag.hasSuffix("/") { continue }
      if tag.hasPrefix("/") { #expect(open.popLast() == name) } else { open.append(name) }
    }
    #expect(open.isEmpty)
  }
}
