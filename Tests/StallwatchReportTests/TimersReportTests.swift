import Foundation
import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchStore

@Suite struct TimersReportTests {
  private static let start = HandMadeContents.start

  private func timer(
    _ id: Int64, name: String? = nil, interval: Nanoseconds = 20 * .millisecond, fired: UInt64 = 10,
    dropped: UInt64 = 0, lateness: [Nanoseconds] = [], change: (inout StoredTimer) -> Void = { _ in }
  ) -> StoredTimer {
    let record = TimerRecord(
      id: TimerID(rawValue: UInt64(id)), loop: nil, name: name, kind: .runLoop, origin: 0, interval: interval,
      tolerance: 0, modes: ["kCFRunLoopDefaultMode"], madeNs: Self.start)
    var ledger = TimerDelta(timer: record.id, atNs: 0)
    (ledger.fired, ledger.dropped) = (fired, dropped)
    ledger.worst = lateness.max().map { ($0, Self.start + $0) }
    var timer = StoredTimer(
      id: id, session: 1, loop: 1, record: record, ledger: ledger,
      lateness: lateness.isEmpty ? nil : StoredMetric(samples: lateness), drops: [], stalls: [])
    change(&timer)
    return timer
  }

  private func contents(_ timers: [StoredTimer]) -> HandMadeContents {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop()
    contents.storedTimers[1] = timers
    return contents
  }

  private func text(_ contents: HandMadeContents) throws -> String {
    TimersTextRenderer().render(try contents.report())
  }

  @Test func theMostDroppedComesFirstThenTheLatest() throws {
    let report = try contents([
      timer(1, name: "in time", lateness: [5]), timer(2, name: "late", lateness: [.second]),
      timer(3, name: "dropped", dropped: 2), timer(4, name: "dropped more", dropped: 3),
    ]).report()
    #expect(report.timers.map(\.title) == ["dropped more", "dropped", "late", "in time"])
  }

  @Test func manyTimersOfOneSiteAreOneEntryWithTheirSums() throws {
    let few = (1...20).map { timer(Int64($0), name: "few", fired: 2, lateness: [.millisecond]) }
    let many = (21...120).map { id in
      timer(Int64(id), name: "many", fired: 3, dropped: 1, lateness: [Nanoseconds(id) * .millisecond]) {
        $0.drops = [("tracking", 1)]
        let late = Nanoseconds(id) * .millisecond
        $0.stalls = [StoredStallTimer(stall: Int64(id / 2), timer: Int64(id), late: 1, dropped: 1, worstLateness: late)]
      }
    }
    let report = try contents(few + many).report()
    #expect(report.timers.map(\.count) == [100] + Array(repeating: 1, count: 20))
    let site = report.timers[0]
    #expect(site.timer.id == 21)
    #expect((site.timer.ledger.fired, site.timer.ledger.dropped) == (300, 100))
    #expect((site.lateness.count, site.lateness.maximum) == (100, 120 * .millisecond))
    #expect(site.timer.drops.map(\.count) == [100])
    #expect(site.timer.stalls.worst?.stall == 60)
    #expect(site.timer.stalls.rows.first == 60)
    #expect(site.timer.stalls.rows.sorted() == Array(10...60))
    #expect(site.timer.stalls.dropped == 100)
    #expect(TimersTextRenderer().render(report).contains("120 timers came due"))
  }

  @Test func aTimerThatKeepsTimeHasNoRemark() throws {
    #expect(try contents([timer(1, lateness: [50, 60])]).report().timers[0].remarks.isEmpty)
  }

  @Test func thatToleranceIsIgnoredIsSaidOnce() throws {
    let text = try text(contents([timer(1), timer(2)]))
    #expect(text.components(separatedBy: "tolerance").count == 2)
  }

  @Test func theLinesOverTimeStandUnderEachOther() throws {
    var contents = contents([timer(1)])
    contents.storedTicks[1] = (0..<100 as Range<UInt64>).map { number in
      DriftTick(
        loop: LoopID(rawValue: 1), number: number, dueNs: Self.start + number * 100 * .millisecond,
        runLoopLateness: number == 50 ? .second : 5, gcdLateness: 5, inOtherModes: 0)
    }
    let lines = try text(contents).split(separator: "\n").filter {
      $0.hasPrefix("run\u{a0}loop") || $0.hasPrefix("GCD\u{a0}timer")
    }
    try #require(lines.count == 2)
    let places = lines.map { line in line.distance(from: line.startIndex, to: line.firstIndex(of: "▁")!) }
    #expect(places[0] == places[1])
    #expect(lines[0].count == lines[1].count)
    #expect(lines[0].contains("█"))
    #expect(!lines[1].contains("█"))
  }

  @Test func theReportShowsTheWorstTenAndThePartsOfTheDocument() throws {
    let many = contents((1...40).map { timer($0, name: "timer-\($0).", dropped: UInt64($0)) })
    let text = TextRenderer().render(try many.report())
    #expect(text.contains("timer-40."))
    #expect(!text.contains("timer-5."))
    #expect(text.contains("30 more"))
    let json = try JSONText { try JSONRenderer().render(many.report(), into: $0) }.object
    #expect(try json.list("timers").count == 40)
    #expect(json.isNull("drift"))
  }

  @Test func hostileNamesDoNotReachTheTerminal() throws {
    var contents = contents(
      HandMadeContents.hostileNames.enumerated().map { index, name in
        timer(Int64(index + 1), name: name, fired: .max, dropped: .max, lateness: [.max >> 1]) {
          $0.drops = [(name, .max)]
          $0.ledger.calloutMaximum = .max
        }
      })
    contents.storedTicks[1] = [
      DriftTick(
        loop: LoopID(rawValue: 1), number: .max, dueNs: .max, runLoopLateness: .max, gcdLateness: 0, inOtherModes: .max)
    ]
    let text = try text(contents)
    #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
    _ = try JSONText { try TimersJSONRenderer().render(contents.report(), into: $0) }.object
  }

  @Test func theDocumentHasExactlyItsKeys() throws {
    var contents = contents([
      timer(1, name: "poll", dropped: 3, lateness: [50, 70]) {
        $0.drops = [("Modal", 1)]
        $0.stalls = [StoredStallTimer(stall: 4, timer: 1, late: 1, dropped: 2, worstLateness: 70)]
      }
    ])
    contents.storedTicks[1] = [
      DriftTick(
        loop: LoopID(rawValue: 1), number: 0, dueNs: Self.start, runLoopLateness: 5, gcdLateness: 900, inOtherModes: 0)
    ]
    let json = try JSONText { try TimersJSONRenderer().render(contents.report(), into: $0) }.object
    #expect(json["schema"] as? String == "stallwatch.timers/1")
    #expect(Set(json.keys) == ["schema", "filter", "loops", "timers", "drift"])
    let timer = try json.list("timers")[0]
    #expect(
      Set(timer.keys) == [
        "id", "timers", "session", "loop", "loop_name", "name", "title", "kind", "origin", "interval_ns",
        "tolerance_ns", "modes",
        "made_ns", "ended_ns", "due", "fired", "dropped", "dropped_by_mode", "windows", "dropped_outside", "coalesced",
        "rearmed",
        "interval_changes", "lateness_ns", "worst", "callout_ns", "stalls", "remarks",
      ])
    #expect(try timer.number("due") == 13)
    #expect(timer["stalls"] as? [Int] == [4])
    #expect(try timer.object("worst").number("stall") == 4)
    #expect(timer.isNull("origin"))
    let drift = try json.object("drift")
    let keys: Set = [
      "verdict", "interval_ns", "ticks", "dropped", "run_loop_lateness_ns", "gcd_lateness_ns", "drift_ns", "slope_ppm",
      "explained_by_stalls", "explained_by_modes", "explained_by_machine",
    ]
    #expect(Set(drift.keys) == keys.union(["loops"]))
    #expect(try Set(drift.list("loops")[0].keys) == keys.union(["loop"]))
    #expect(try drift.object("drift_ns")["max"] as? Int == -895)
    #expect(drift.isNull("explained_by_stalls"))
  }

  @Test func aStallNamesTheTimersThatItHurt() throws {
    var contents = contents([timer(1, name: "poll"), timer(2, name: "other")])
    contents.addStall(id: 5, duration: 100 * .millisecond)
    contents.storedStallTimers[5] = [
      StoredStallTimer(stall: 5, timer: 1, late: 1, dropped: 4, worstLateness: 80 * .millisecond)
    ]
    let detail = try #require(try StallExaminer(contents).examine(5))
    #expect(detail.timers.map(\.title) == ["poll"])
    let text = StallTextRenderer().render(detail)
    #expect(text.contains("TIMERS IT DELAYED"))
    let hurt = try JSONText { try StallJSONRenderer().render(detail, into: $0) }.object.list("timers")
    #expect(hurt.count == 1)
    #expect(hurt[0]["title"] as? String == "poll")
    #expect(try hurt[0].number("dropped") == 4)
  }
}
