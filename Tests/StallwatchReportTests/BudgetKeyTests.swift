import Foundation
import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchReport
@testable import StallwatchStore

@Suite("Each key of a budget")
struct BudgetKeyTests {
  /// The keys that hold a number against a limit.
  private static let limits = BudgetKeys.all.filter { !$0.hasPrefix("allow.") && !$0.hasPrefix("base.") }

  /// A recording in which every key has a value beyond 0.
  private static let contents: HandMadeContents = {
    let metrics = [Metric.prepare, .sources, .waiting, .service, .span, .gap]
    var contents = HandMadeContents()
    contents.addSession(duration: 10 * .second, ended: .killed)
    contents.addLoop(
      iterations: 100, starved: .second,
      samples: Dictionary(
        uniqueKeysWithValues: metrics.map { ($0, [Nanoseconds](repeating: 30 * .millisecond, count: 100)) }))
    contents.addStall(id: 1, duration: 2_500 * .millisecond)
    contents.addStall(id: 2, duration: 900 * .millisecond, at: 5 * .second, state: .fatal)
    contents.addStall(id: 3, duration: 80 * .millisecond, at: 7 * .second, kind: .congestion)
    contents.addStall(id: 4, duration: 300 * .millisecond, at: 8 * .second, kind: .away, reason: "a timer was due")
    var ledger = TimerDelta(timer: TimerID(rawValue: 1), atNs: 0)
    (ledger.fired, ledger.dropped) = (90, 10)
    contents.storedTimers[1] = [
      StoredTimer(
        id: 1, session: 1, loop: 1,
        record: TimerRecord(
          id: TimerID(rawValue: 1), loop: nil, name: "poll", kind: .runLoop, origin: 0, interval: .second, tolerance: 0,
          modes: [], madeNs: 0),
        ledger: ledger, lateness: StoredMetric(samples: [5 * .millisecond]), drops: [],
        stalls: [StoredStallTimer(stall: 1, timer: 1, late: 1, dropped: 10, worstLateness: .second)])
    ]
    contents.storedTicks[1] = (0..<50).map { number in
      DriftTick(
        loop: LoopID(rawValue: 1), number: number, dueNs: HandMadeContents.start + number * 100 * .millisecond,
        runLoopLateness: number == 7 ? nil : 9 * .millisecond, gcdLateness: 2 * .millisecond, inOtherModes: 0)
    }
    contents.storedHealth[1] = StoredHealth(
      observerTotal: 0, monitorCPU: 40 * .millisecond, wakeups: 0, watchdogLateness: nil, losses: ["spans": 3],
      intervals: [.excluded, .blind].map { kind in
        IntervalRecord(
          kind: kind, loop: nil, startedNs: 1, endedNs: 2, duration: 50 * .millisecond, reason: "stopped")
      })
    return contents
  }()

  private func judge(_ key: String, _ limit: BudgetValue) throws -> BudgetReport.Result {
    let names = ["NAME": key.hasPrefix("timer.") ? "poll" : "main", "MODE": "kCFRunLoopDefaultMode"]
    let file = key.split(separator: ".").reversed().reduce(limit) { .table([names[String($1)] ?? String($1): $0]) }
    let report = try BudgetJudge(Budget(file), today: "2026-06-01").judge(Self.contents, store: "run.stallwatch")
    #expect(report.results.count == 1)
    return try #require(report.results.first)
  }

  @Test("holds at its value and is exceeded below it", arguments: limits)
  func limit(key: String) throws {
    // A number or a text: the key takes one of them.
    let least = try (try? judge(key, .number(0))) ?? judge(key, .text("0ms"))
    #expect(least.verdict == .exceeded, "\(key)")
    let value = try #require(least.value)
    let most = least.unit == .duration ? BudgetValue.text("\(Int(value))ns") : .number(value)
    #expect(try judge(key, most).verdict == .held)
    #expect(least.stall != nil || key.hasPrefix("health."))
  }

  @Test("is documented where its table is, and nothing else is")
  func documentation() throws {
    let article = try String(
      contentsOfFile: "\(Built.package)/Sources/Stallwatch/Stallwatch.docc/Budgets.md", encoding: .utf8)
    var documented: [String: Set<String>] = [:]
    var table = ""
    for line in article.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { String($0) }
      if let name = Self.words(cells[0]).first { table = name.filter { !"[]".contains($0) } }
      guard !table.isEmpty else { continue }
      documented[table, default: []].formUnion(Self.words(cells[1]))
      if cells[2].contains("tables with") || cells[2].contains("a table with") {
        documented[table, default: []].formUnion(BudgetKeys.percentiles)
      }
    }
    var known: [String: Set<String>] = [:]
    for key in BudgetKeys.all {
      let names = ["loop.NAME.mode.MODE.", "loop.NAME.", "timer.NAME."].first { key.hasPrefix($0) }
      let prefix = names ?? String(key.prefix { $0 != "." }) + "."
      known[String(prefix.dropLast()), default: []].formUnion(
        key.dropFirst(prefix.count).split(separator: ".").map { String($0) })
    }
    #expect(documented == known)
  }

  private static func words(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }
}
