import StallwatchCore
import Testing

@testable import StallwatchReport
@testable import StallwatchStore

@Suite("Each key of a budget")
struct BudgetKeyTests {
  /// The keys that hold a number against a limit.
  private static let limits: [String] = {
    let catalog = Catalog.standard
    let tables: [(table: String, keys: [BudgetKeys.Key])] = [
      ("stalls", catalog.stalls.limits()), ("loop.NAME", catalog.loop.limits()),
      ("loop.NAME.mode.MODE", catalog.mode.limits()), ("timer.NAME", catalog.timer.limits()),
      ("drift", catalog.drift.limits()), ("health", catalog.health.limits()),
    ]
    return tables.flatMap { table in table.keys.map { "\(table.table).\($0.key)" } }
  }()

  /// A recording in which every key has a value beyond 0.
  private static let contents: HandMadeContents = {
    let metrics = [Metric.prepare, .sources, .waiting, .service, .span, .gap]
    var contents = HandMadeContents()
    contents.addSession(duration: 10 * .second, ended: .killed)
    contents.addLoop(
      iterations: 100, starved: .second,
      samples: Dictionary(
        uniqueKeysWithValues: metrics.map { ($0, [Nanoseconds](repeating: 30 * .millisecond, count: 100)) }))
    let waits = [Nanoseconds](repeating: 70 * .millisecond, count: 10)
    contents.addLoop(id: 2, name: "images", mode: "items", samples: [.waiting: waits, .span: waits], kind: .queue)
    contents.addStall(id: 5, loop: 2, mode: "items", duration: 70 * .millisecond, at: 9 * .second)
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
    let name = key.hasPrefix("timer.") ? "poll" : key.contains(".delay.") ? "images" : "main"
    let names = ["NAME": name, "MODE": "kCFRunLoopDefaultMode"]
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
}
