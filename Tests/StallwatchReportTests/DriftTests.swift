import StallwatchCore
import StallwatchStore
import Testing

@testable import StallwatchReport

@Suite struct DriftTests {
  private static let start = HandMadeContents.start

  private func tick(
    _ number: UInt64, due: Nanoseconds, _ runLoop: Nanoseconds?, _ gcd: Nanoseconds?, otherModes: Nanoseconds = 0
  ) -> DriftTick {
    DriftTick(
      loop: LoopID(rawValue: 1), number: number, dueNs: due, runLoopLateness: runLoop, gcdLateness: gcd,
      inOtherModes: otherModes)
  }

  /// A tick every 100 ms, from the session's start on.
  private func tick(
    _ number: UInt64, _ runLoop: Nanoseconds?, _ gcd: Nanoseconds?, otherModes: Nanoseconds = 0
  ) -> DriftTick {
    tick(number, due: Self.start + number * 100 * .millisecond, runLoop, gcd, otherModes: otherModes)
  }

  private func contents(_ ticks: [DriftTick], duration: Nanoseconds = 10 * .second) -> HandMadeContents {
    var contents = HandMadeContents()
    contents.addSession(duration: duration)
    contents.addLoop()
    contents.storedTicks[1] = ticks
    return contents
  }

  @Test func ticksFarBeyondTheSessionAreFoldedWithoutATrap() throws {
    let far = UInt64(Int64.max)
    let report = try contents([tick(0, due: far, far, far), tick(1, due: 0, far, nil)], duration: 0).report()
    #expect(report.drift?.ticks == 2)
  }

  @Test func stallsOfAnyLengthExplainNoMoreThanTheLateness() throws {
    var contents = contents([tick(0, due: Self.start + .second, UInt64(Int64.max), 0)])
    for id in 1...4 { contents.addStall(id: Int64(id), duration: UInt64(Int64.max), at: .second) }
    #expect(try contents.report().drift?.explained?.stalls == 1)
  }

  @Test func latenessIsSharedOutBetweenStallsModesTheMachineAndTheRest() throws {
    // Due at 1 s, 100 ms late: GCD was late by 10 of them, a stall took 40 of the time until it was served, another
    // mode 30, so 20 are left. The tick that is late by less than a millisecond is on time.
    var contents = contents([
      tick(9, 900 * .microsecond, 0), tick(10, 100 * .millisecond, 10 * .millisecond, otherModes: 30 * .millisecond),
    ])
    contents.addStall(id: 1, duration: 60 * .millisecond, at: 980 * .millisecond)
    contents.addStall(id: 2, duration: 90 * .millisecond, at: .second, kind: .congestion)
    contents.addStall(id: 3, duration: 90 * .millisecond, at: .second, state: .cancelled)
    let drift = try #require(try contents.report().drift)
    let explained = try #require(drift.explained)
    #expect(abs(explained.stalls - 0.4) < 1e-9)
    #expect(abs(explained.otherModes - 0.3) < 1e-9)
    #expect(abs(explained.machine - 0.1) < 1e-9)
    #expect(abs(explained.rest - 0.2) < 1e-9)
    #expect(drift.verdict.hasPrefix("The loop itself was late"))
    #expect(drift.interval == 100 * .millisecond)
  }

  @Test func stallsOfOtherLoopsExplainNothing() throws {
    var contents = contents([tick(10, 50 * .millisecond, 0)])
    contents.addLoop(id: 2, name: "worker")
    contents.addStall(id: 1, loop: 2, duration: 60 * .millisecond)
    #expect(try contents.report().drift?.explained?.stalls == 0)
  }

  @Test func allLateTicksCountHoweverMany() throws {
    // Far more than are held: all of them fell into one stall, but for those of the second half.
    let count: UInt64 = 300_000
    var contents = contents((0..<count).map { tick($0, 50 * .millisecond, 0) }, duration: count * 100 * .millisecond)
    contents.addStall(id: 1, duration: count * 50 * .millisecond, at: 0)
    let explained = try #require(try contents.report().drift?.explained)
    #expect(abs(explained.stalls - 0.5) < 0.001)
    #expect(abs(explained.rest - 0.5) < 0.001)
  }

  @Test func aTickThatTheControlDroppedIsAsLateAsTheOneBefore() throws {
    // GCD served tick 0 at 250 ms, and so dropped tick 1, which was due at 100 ms; the loop served that at 250 ms too.
    let ticks = [tick(0, 0, 250 * .millisecond), tick(1, 150 * .millisecond, nil)]
    let drift = try #require(try contents(ticks).report().drift)
    #expect(drift.explained?.machine == 1)
    #expect(drift.gcd.count == 1)
    #expect(drift.drift.count == 1, "nothing can be subtracted from what was dropped")
  }

  @Test func driftMayLieBelowZero() throws {
    let ticks = (0..<100 as Range<UInt64>).map {
      tick($0, $0 < 60 ? 1 * .millisecond : 9 * .millisecond, 5 * .millisecond)
    }
    let drift = try #require(try contents(ticks).report().drift).drift
    #expect(abs(try #require(drift[.p50]) + 4_000_000) < 40_000)
    #expect(abs(try #require(drift[.p90]) - 4_000_000) < 40_000)
    #expect(drift.maximum == 4_000_000)
    #expect(drift.count == 100)
  }

  @Test func aTickThatTheLoopDroppedIsCountedAndHasNoLateness() throws {
    let drift = try #require(try contents([tick(0, 0, 0), tick(1, nil, 0), tick(2, 0, 0)]).report().drift)
    #expect(drift.ticks == 3)
    #expect(drift.dropped == 1)
    #expect(drift.runLoop.count == 2)
    #expect(drift.gcd.count == 3)
  }

  @Test func theSlopeIsInMillionthsOfTheTimeThatPassed() throws {
    // 10 µs later at each tick of 100 ms: 100 in a million.
    let ticks = (0..<200 as Range<UInt64>).map { tick($0, $0 * 10 * .microsecond, 0) }
    let slope = try #require(try contents(ticks, duration: 20 * .second).report().drift?.slope)
    #expect(abs(slope - 100) < 1e-6)
    #expect(try contents([tick(0, 5, 5)]).report().drift?.slope == nil)
  }

  @Test func loopsHaveTheirOwnDriftAndAllTogetherOne() throws {
    var contents = contents([tick(0, 0, 0), tick(1, 0, 0)])
    contents.addLoop(id: 2, name: "worker")
    contents.addLoop(id: 3, name: "idle")
    contents.storedTicks[2] = [tick(1, 30 * .millisecond, 0)]
    let report = try contents.report()
    #expect(report.driftByLoop.map(\.loop) == [1, 2])
    #expect(report.drift?.ticks == 3)
    #expect(report.drift?.runLoop.maximum == 30 * .millisecond)
    #expect(try HandMadeContents().report().drift == nil)
  }
}
