import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchStore

/// What is said of timers and drift, from contents made by hand.
@Suite struct TimerReportTests {
  private func timer(
    _ id: Int64, name: String? = nil, interval: Nanoseconds = 20 * .millisecond, fired: UInt64, dropped: UInt64
  ) -> StoredTimer {
    let record = TimerRecord(
      id: TimerID(rawValue: UInt64(id)), loop: nil, name: name, kind: .runLoop, origin: 0, interval: interval,
      tolerance: 0, modes: ["kCFRunLoopDefaultMode"], madeNs: HandMadeContents.start)
    var ledger = TimerDelta(timer: record.id, atNs: 0)
    ledger.fired = fired
    ledger.dropped = dropped
    return StoredTimer(
      id: id, session: 1, loop: 1, record: record, ledger: ledger, lateness: nil, drops: [], stalls: [])
  }

  private func contents(_ timers: [StoredTimer] = [], ticks: [DriftTick] = []) -> HandMadeContents {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop()
    contents.storedTimers[1] = timers
    contents.storedTicks[1] = ticks
    return contents
  }

  private func tick(
    _ number: UInt64, _ runLoop: Nanoseconds?, _ gcd: Nanoseconds?, inOtherModes: Nanoseconds = 0
  ) -> DriftTick {
    DriftTick(
      loop: LoopID(rawValue: 1), number: number,
      dueNs: HandMadeContents.start + number * 100 * .millisecond, runLoopLateness: runLoop, gcdLateness: gcd,
      inOtherModes: inOtherModes)
  }

  @Test func theMostDroppedTimerComesFirst() throws {
    let report = try ReportBuilder().timers(
      from: contents([
        timer(1, name: "calm", fired: 100, dropped: 0), timer(2, name: "hurt", fired: 60, dropped: 40),
      ]))
    #expect(report.timers.map(\.title) == ["hurt", "calm"])
    let text = TimersTextRenderer().render(report)
    #expect(text.contains("2 timers came due 200 times: 160 fired, 40 dropped."))
    #expect(text.contains("No tick was recorded"))
  }

  @Test func aModeThatDropsFiresIsNamedWithTheRemedy() throws {
    var scrolled = timer(1, name: "refresh", fired: 60, dropped: 40)
    scrolled.drops = [("UITracking", 39)]
    let remarks = try ReportBuilder().timers(from: contents([scrolled])).timers[0].remarks
    #expect(remarks.count == 1)
    #expect(remarks[0].hasPrefix("refresh: 39 fires dropped because the loop ran in UITracking, a mode that"))
    #expect(remarks[0].contains("forMode: .common"))
  }

  @Test func aTimerThatHurtsItselfIsToldSo() throws {
    var slow = timer(1, name: "slow", fired: 10, dropped: 30)
    slow.ledger.calloutMaximum = 90 * .millisecond
    slow.stalls = [StoredStallTimer(stall: 7, timer: 1, late: 2, dropped: 5, worstLateness: 80 * .millisecond)]
    let remarks = try ReportBuilder().timers(from: contents([slow])).timers[0].remarks
    #expect(remarks[0].contains("its own callout took up to 90.0 ms, longer than its interval of 20.0 ms"))
    #expect(remarks[1] == "slow: stall 7 made it late by up to 80.0 ms; 5 fires dropped.")
  }

  @Test func aTimerHasTheWindowsInWhichItWasWorst() throws {
    var contents = contents([timer(1, name: "poll", fired: 100, dropped: 7), timer(2, fired: 5, dropped: 0)])
    contents.storedTimerWindows[1] = (0..<70 as Range<UInt64>).map { minute in
      var window = TimerWindow(
        startedNs: HandMadeContents.start + minute * 60 * .second, length: 60 * .second)
      (window.fired, window.dropped) = (3, minute == 1 ? 7 : 0)
      for lateness in [2 * .millisecond, minute * .millisecond] { window.lateness.record(lateness) }
      return (1, window)
    }
    let timers = try ReportBuilder().timers(from: contents).timers
    let windows = try #require(timers.first).windows
    // The second dropped something; of the others the ten that were least late are left out.
    #expect(windows.map(\.startedNs) == ([1] + (11..<70)).map { HandMadeContents.start + $0 * 60 * .second })
    #expect(windows.last?.worstLateness == 69 * .millisecond)
    #expect(windows.last?.meanLateness == 35_500_000)
    #expect(timers.last?.windows == [])
  }

  @Test func aStoreWithoutTimersSaysWhoSeesThem() throws {
    let text = TimersTextRenderer().render(try ReportBuilder().timers(from: contents()))
    #expect(text.contains("No timer was seen."))
    #expect(text.contains("StallwatchHooks"))
  }

  @Test func theLoopIsBlamedForWhatStallsExplain() throws {
    var contents = contents(ticks: (0..<10).map { tick($0, $0 == 3 ? 250 * .millisecond : 30_000, 20_000) })
    contents.addStall(id: 1, duration: 260 * .millisecond, at: 290 * .millisecond)
    let drift = try #require(try ReportBuilder().timers(from: contents).drift)
    #expect(drift.ticks == 10)
    #expect(drift.interval == 100 * .millisecond)
    let explained = try #require(drift.explained)
    #expect(explained.stalls > 0.99)
    #expect(explained.machine < 0.01)
    #expect(drift.verdict.hasPrefix("The loop itself was late"))
    #expect(try #require(drift.drift.maximum) == 249_980_000)
    #expect(drift.runLoop.maximum == 250 * .millisecond)
  }

  @Test func theMachineIsBlamedWhereTheControlIsAsLate() throws {
    let ticks = (0..<10).map { tick($0, 30 * .millisecond, $0 == 5 ? 31 * .millisecond : 29 * .millisecond) }
    let drift = try #require(try ReportBuilder().timers(from: contents(ticks: ticks)).drift)
    #expect(try #require(drift.explained).machine > 0.95)
    #expect(drift.verdict.hasPrefix("The machine was late"))
    #expect(try #require(drift.drift[.p50]) > 900_000)
    #expect(try #require(drift.drift.value(lowest: ticks)) < 0, "a tick that the loop served before the control")
  }

  @Test func otherModesAreBlamedForTheirPart() throws {
    let ticks =
      [tick(0, 20_000, 20_000), tick(1, 400 * .millisecond, 20_000, inOtherModes: 390 * .millisecond)]
      + (2..<5).map { tick($0, nil, 20_000) }
    let drift = try #require(try ReportBuilder().timers(from: contents(ticks: ticks)).drift)
    #expect(drift.dropped == 3)
    #expect(try #require(drift.explained).otherModes > 0.9)
  }

  @Test func ticksOnTimeAreCalledThat() throws {
    let ticks = (0..<100).map { tick($0, 40_000, 20_000) }
    let drift = try #require(try ReportBuilder().timers(from: contents(ticks: ticks)).drift)
    #expect(drift.explained == nil)
    #expect(drift.verdict.hasPrefix("On time"))
    #expect(try #require(drift.slope).magnitude < 0.001)
  }

  @Test func theDocumentHasItsKeys() throws {
    let report = try ReportBuilder().timers(
      from: contents([timer(1, name: "a", fired: 1, dropped: 0)], ticks: [tick(0, 1, 2)]))
    let json = try JSONText { try TimersJSONRenderer().render(report, into: $0) }.object
    #expect(Set(json.keys) == ["schema", "filter", "loops", "timers", "drift"])
    let timer = try json.list("timers")[0]
    for key in ["id", "loop", "name", "kind", "interval_ns", "tolerance_ns", "due", "fired", "dropped", "lateness_ns"] {
      #expect(timer.keys.contains(key), "\(key)")
    }
    let drift = try json.object("drift")
    for key in ["interval_ns", "run_loop_lateness_ns", "gcd_lateness_ns", "drift_ns", "explained_by_machine"] {
      #expect(drift.keys.contains(key), "\(key)")
    }
  }
}

extension SignedSummary {
  /// The lowest drift of ticks that were served, as the histogram is to have it.
  fileprivate func value(lowest ticks: [DriftTick]) -> Int64? {
    var histogram = SignedHistogram()
    for tick in ticks {
      guard let loop = tick.runLoopLateness, let control = tick.gcdLateness else { continue }
      histogram.add(Int64(loop) - Int64(control))
    }
    return histogram.value(at: 0)
  }
}
