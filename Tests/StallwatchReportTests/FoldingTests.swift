import StallwatchCore
import StallwatchStore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

/// Figures against sums made by hand.
@Suite struct FoldingTests {
  @Test func jankOfAPartOfASessionIsThatOfItsWindows() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(iterations: 10, samples: [.span: [116_667_000, 16_000_000], .service: [132_667_000]])
    let whole = try contents.report()
    for mode in contents.storedModes.indices {
      contents.storedModes[mode].isCutByTime = true
      contents.storedModes[mode].windowsBusy = 20_000_000
    }
    let part = try contents.report()
    #expect(part.loops[0].time.busy == 20_000_000)
    #expect(part.loops[0].jank == whole.loops[0].jank && part.loops[0].jank.map { $0 > 500 && $0 < 1_000 } == true)
    #expect(part.loops[0].modes[0].jank == whole.loops[0].modes[0].jank)
  }

  @Test func busyTimeIsEverythingButWaiting() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(
      iterations: 7,
      samples: [
        .prepare: [1_000, 2_000], .sources: [10_000], .service: [987_000], .waiting: [3_000_000, 2_000_000],
      ])
    let loop = try #require(try contents.report().loops.first)
    #expect(loop.time.busy == 1_000_000)
    #expect(loop.time.waiting == 5_000_000)
    #expect(loop.time.utilization == 1.0 / 6.0)
    #expect(loop.iterations == 7)
    #expect(loop.outside == 3_000_000)
  }

  @Test func modesOfALoopAreAddedUpAndTheirHistogramsMerged() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(iterations: 10, samples: [.span: Array(repeating: .millisecond, count: 99), .service: [.second]])
    contents.addMode(
      id: 7, loop: 1, name: "tracking", iterations: 5, samples: [.span: [80 * .millisecond], .service: [2 * .second]])
    let loop = try #require(try contents.report().loops.first)
    #expect(loop.iterations == 15)
    #expect(loop.time.busy == 3 * .second)
    #expect(loop.span.count == 100)
    #expect(loop.span.total == 179 * .millisecond)
    #expect(loop.span.maximum == 80 * .millisecond)
    #expect(loop.modes.map(\.name) == ["kCFRunLoopDefaultMode", "tracking"])
    #expect(loop.modes.map(\.time.busy) == [.second, 2 * .second])
    // 99 of 100 spans take 1 ms; a counter there is 8,192 ns wide.
    let median = try #require(loop.span[.p50])
    #expect((.millisecond)...(.millisecond + 8_192) ~= median)
    let p99 = try #require(loop.span[.p99])
    #expect((.millisecond)...(.millisecond + 8_192) ~= p99)
    #expect(loop.span[.p999] == 80 * .millisecond)
  }

  @Test func withoutSamplesNothingIsKnown() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop()
    let loop = try #require(try contents.report().loops.first)
    #expect(loop.time.utilization == nil)
    #expect(loop.hangRate == nil)
    #expect(loop.jank == nil)
    #expect(loop.span == DurationSummary())
    #expect(loop.span[.p50] == nil)
    #expect(loop.span.maximum == nil)
    #expect(!loop.wasObserved)
  }

  @Test func jankIsExactWhereEverySpanExceedsTheBudget() {
    // 20.5 − 16.667 + 30.25 − 16.667 ms
    let metric = StoredMetric(samples: [20_500_000, 30_250_000])
    #expect(Jank.excess(of: metric, over: 16_667_000) == 17_416_000)
  }

  @Test func jankIsNoneWhereNoSpanExceedsTheBudget() {
    #expect(Jank.excess(of: StoredMetric(samples: [16_667_000, 5]), over: 16_667_000) == 0)
  }

  @Test func jankIsWithinACounterOtherwise() {
    // 3 spans of 1 ms, one of 40 ms and one of 100 ms: 23.333 + 83.333 ms over the budget. A counter near 100 ms is
    // 524,288 ns wide, one near 40 ms 262,144 ns.
    let metric = StoredMetric(samples: [
      .millisecond, .millisecond, .millisecond, 40 * .millisecond, 100 * .millisecond,
    ])
    let excess = Jank.excess(of: metric, over: 16_667_000)
    #expect(excess.since(106_666_000) <= 524_288 && Nanoseconds(106_666_000).since(excess) <= 524_288)
  }

  @Test func jankIsGivenPerSecondOfBusyTime() throws {
    var contents = HandMadeContents()
    contents.addSession()
    // 33.333 ms beyond a budget of 16.667 ms in 0.5 s busy time.
    contents.addLoop(samples: [.span: [50 * .millisecond], .service: [500 * .millisecond], .waiting: [9 * .second]])
    let loop = try #require(try contents.report().loops.first)
    #expect(loop.jank == 66.666)
    var wide = ReportConfiguration()
    wide.frameBudget = 50 * .millisecond
    #expect(try contents.report(wide).loops.first?.jank == 0)
  }

  @Test func hangRateCountsMicrohangsAndWorseOfTheObservedTime() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(samples: [.service: [10 * .second], .waiting: [8 * .second]])
    contents.addStall(id: 1, duration: 249 * .millisecond)
    contents.addStall(id: 2, duration: 250 * .millisecond)
    contents.addStall(id: 3, duration: 750 * .millisecond)
    contents.addStall(id: 4, duration: 3 * .second, kind: .congestion)
    contents.addStall(id: 5, duration: 4 * .second, state: .cancelled)
    let loop = try #require(try contents.report().loops.first)
    // 1 s of 18 s observed: 200 s an hour.
    #expect(loop.hangRate == 200)
  }

  @Test func aStallInWhichTheProcessDiedBelongsToTheObservedTime() throws {
    var contents = HandMadeContents()
    contents.addSession(ended: .killed)
    contents.addLoop(samples: [.service: [.second]])
    contents.addStall(id: 1, duration: 3 * .second, state: .fatal)
    #expect(try contents.report().loops.first?.hangRate == 2_700)
  }

  @Test func aThresholdAboveAMicrohangLeavesTheHangRateToTheHistogram() throws {
    var contents = HandMadeContents()
    contents.addSession(threshold: 2 * .second)
    contents.addLoop(samples: [
      .span: [300 * .millisecond, 10 * .millisecond], .service: [.second], .waiting: [2 * .second],
    ])
    let rate = try #require(try contents.report().loops.first?.hangRate)
    // 0.3 s of 3 s is 360 s an hour; a counter near 300 ms is 2.1 ms wide.
    #expect(abs(rate - 360) < 2.6)
  }

  @Test func theGapIsSplitIntoSourcesAndWaiting() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(samples: [
      .gap: [10 * .millisecond, 20 * .millisecond], .waiting: [8 * .millisecond, 19 * .millisecond],
    ])
    let gap = try #require(try contents.report().loops.first?.gap)
    #expect(gap.all.total == 30 * .millisecond)
    #expect(gap.waiting == 27 * .millisecond)
    #expect(gap.sources == 3 * .millisecond)
  }

  @Test func aWaitThatBeganUnseenDoesNotOutgrowTheGap() {
    let gap = GapSummary(all: DurationSummary(StoredMetric(samples: [.millisecond])), waiting: 5 * .millisecond)
    #expect(gap.waiting == .millisecond)
    #expect(gap.sources == 0)
  }

  @Test func stallsAreCountedByKindStateAndSeverity() throws {
    let counts = try HandMadeContents.busy.report().stalls.counts
    #expect(counts.count == 6)
    #expect(counts.total == (60 + 70 + 75 + 300 + 812 + 2_400) * .millisecond)
    #expect(counts.bySeverity == [.long: 3, .microhang: 1, .hang: 1, .severe: 1])
    #expect(counts.congestionCount == 1)
    #expect(counts.congestionTotal == 140 * .millisecond)
    #expect(counts.cancelledCount == 1)
    #expect(counts.fatalCount == 0)
  }

  @Test func stallsAreCountedForTheirOwnLoopOnly() throws {
    let loops = try HandMadeContents.busy.report().loops
    #expect(loops.map(\.stalls.count) == [6, 0])
    #expect(loops.map(\.stalls.congestionCount) == [0, 1])
  }

  @Test func aListedStallKnowsItsLoopAndItsMoment() throws {
    let worst = try #require(try HandMadeContents.busy.report().stalls.worst.first)
    #expect(worst.stall.id == 6)
    #expect(worst.loopName == "main")
    #expect(worst.threadID == 5_001)
    #expect(worst.offset == 47 * .second)
    #expect(worst.startedAt == 1_777_630_877 * .second)
  }

  @Test func onlyTheWorstStallsAreKept() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(samples: [.span: [.second]])
    for id in 1...250 { contents.addStall(id: Int64(id), duration: Nanoseconds(id) * .second) }
    let stalls = try contents.report().stalls
    #expect(stalls.counts.count == 250)
    #expect(stalls.worst.map(\.stall.id) == (151...250).reversed().map(Int64.init))
  }

  @Test func healthIsAddedUpOverSessions() throws {
    var contents = HandMadeContents.busy
    contents.addSession(id: 2)
    contents.storedHealth[2] = StoredHealth(
      observerTotal: 8 * .microsecond, monitorCPU: .millisecond, wakeups: 70,
      watchdogLateness: StoredMetric(samples: [900_000]), losses: ["spans": 2], intervals: [], trouble: "disk full")
    let health = try contents.report().health
    #expect(health.figures.losses == ["spans": 5, "records": 1])
    #expect(health.figures.lossCount == 6)
    #expect(health.figures.blind == 51 * .millisecond)
    #expect(health.figures.excluded == 5 * .second)
    #expect(health.figures.observerTotal == 320 * .microsecond)
    #expect(health.figures.monitorCPU == 42 * .millisecond)
    #expect(health.figures.wakeups == 2_000)
    #expect(health.figures.watchdogLateness?.count == 201)
    #expect(health.figures.watchdogLateness?.maximum == 900_000)
    #expect(health.sessions.map(\.session) == [1, 2])
    #expect(health.sessions.map(\.trouble) == [nil, "disk full"])
    #expect(
      health.intervals == [
        IntervalTotal(kind: .excluded, reason: "stopped", count: 1, total: 5 * .second, longest: 5 * .second),
        IntervalTotal(kind: .blind, reason: "new-mode", count: 2, total: 51 * .millisecond, longest: 48 * .millisecond),
      ])
  }

  @Test func observersWithoutASampleHaveAnUnknownCost() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.storedHealth[1] = StoredHealth(
      observerTotal: 0, monitorCPU: .millisecond, wakeups: 7, watchdogLateness: nil, losses: [:], intervals: [])
    let health = try contents.report().health
    #expect(health.figures.observerTotal == nil)
    #expect(health.figures.monitorCPU == .millisecond)
  }

  @Test func aMonitorThatDiedBeforeItsFirstWordHasAnUnknownCost() throws {
    let health = try HandMadeContents.killed.report().health
    #expect(health.figures.monitorCPU == nil)
    #expect(health.figures.observerTotal == nil)
    #expect(health.figures.wakeups == nil)
    #expect(health.figures.blind == 0)
    #expect(try HandMadeContents().report().health.figures.blind == nil)
  }

  @Test func figuresAtTheEndOfTheirRangeDoNoHarm() throws {
    var contents = HandMadeContents()
    contents.addSession(duration: 1)
    contents.storedSessions[0].lastSeenNs = .max
    contents.storedSessions[0].record.startedAt = .max
    let huge = StoredMetric(samples: [.second])
    for id in 1...2 {
      contents.addLoop(id: Int64(id), iterations: .max, starved: .max)
      for metric in Metric.allCases {
        contents.storedModes[contents.storedModes.count - 1].metrics[metric] = StoredMetric(
          count: .max, total: .max, maximum: .max, histogram: huge.histogram)
      }
      contents.addMode(id: Int64(id) + 10, loop: Int64(id), name: "other", iterations: .max, samples: [.span: [1]])
      contents.addStall(id: Int64(id), loop: Int64(id), duration: .max, at: .second)
      contents.addStall(id: Int64(id) + 2, loop: Int64(id), duration: .max, at: .second, state: .fatal)
      contents.addStall(id: Int64(id) + 4, loop: Int64(id), duration: .max, at: .second, kind: .congestion)
    }
    contents.storedHealth[1] = StoredHealth(
      observerTotal: .max, monitorCPU: .max, wakeups: .max, watchdogLateness: nil,
      losses: ["a": .max, "b": .max],
      intervals: Array(
        repeating: IntervalRecord(kind: .blind, loop: nil, startedNs: 0, endedNs: 1, duration: .max, reason: "x"),
        count: 2))
    let report = try contents.report()
    #expect(report.stalls.counts.total == .max)
    #expect(report.health.figures.blind == .max)
    var json = ""
    try JSONRenderer().render(report) { json += $0 }
    #expect(!json.isEmpty)
    #expect(!TextRenderer().render(report).isEmpty)
    #expect(!MarkdownRenderer().render(report).isEmpty)
    #expect(!SummaryRenderer().render(report, store: "x").isEmpty)
  }
}
