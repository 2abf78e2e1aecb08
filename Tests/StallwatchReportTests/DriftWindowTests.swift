import SeededNumbers
import StallwatchCore
import Testing

@testable import StallwatchReport
@testable import StallwatchStore

/// The drift of a loop whose ticks are in windows, beside that of the same ticks one by one.
@Suite struct DriftWindowTests {
  private static let start = HandMadeContents.start

  /// Contents with the same ticks as rows and in windows, and with stalls.
  private func both(_ ticks: [DriftTick]) -> (rows: HandMadeContents, windows: HandMadeContents) {
    var rows = HandMadeContents()
    rows.addSession(duration: 300 * .second)
    rows.addLoop()
    for id in 1...20 { rows.addStall(id: Int64(id), duration: 90 * .millisecond, at: UInt64(id) * 13 * .second) }
    var (windows, series) = (rows, TickSeries())
    let grid = MetricSeries.Grid(origin: Self.start, length: 60 * .second)
    for tick in ticks { series.add(tick, on: grid, ofLengths: 1) }
    rows.storedTicks[1] = ticks
    windows.storedTickWindows[1] = series.windows
    return (rows, windows)
  }

  private func tick(
    _ number: UInt64, _ runLoop: Nanoseconds?, _ gcd: Nanoseconds?, otherModes: Nanoseconds = 0
  ) -> DriftTick {
    DriftTick(
      loop: LoopID(rawValue: 1), number: number, dueNs: Self.start + number * 100 * .millisecond,
      runLoopLateness: runLoop, gcdLateness: gcd, inOtherModes: otherModes)
  }

  @Test(arguments: 1...5) func isTheSameAsThatOfTheTicks(seed: UInt64) throws {
    var chance = RandomNumbers(seed: seed)
    // Ten late ticks a minute: all are kept.
    let ticks = (0..<3_000 as Range<UInt64>).map { number in
      let isLate = number % 60 == 10
      return tick(
        number, number % 60 == 11 ? nil : .random(in: 0...(isLate ? 200_000_000 : 900_000), using: &chance),
        number % 90 == 0 ? nil : .random(in: 0...(number % 70 == 0 ? 9_000_000 : 90_000), using: &chance),
        otherModes: isLate ? .random(in: 0...50_000_000, using: &chance) : 0)
    }
    let (rows, windows) = both(ticks)
    let (expected, found) = (try #require(rows.report().drift), try #require(windows.report().drift))
    #expect(found.ticks == expected.ticks)
    #expect(found.dropped == expected.dropped)
    #expect(found.interval == expected.interval)
    for quantile in Quantile.wide {
      #expect(found.runLoop[quantile] == expected.runLoop[quantile])
      #expect(found.gcd[quantile] == expected.gcd[quantile])
      #expect(found.drift[quantile] == expected.drift[quantile])
    }
    #expect([found.runLoop.count, found.gcd.count] == [expected.runLoop.count, expected.gcd.count])
    #expect([found.runLoop.total, found.gcd.total] == [expected.runLoop.total, expected.gcd.total])
    let (slope, other) = (try #require(found.slope), try #require(expected.slope))
    #expect(abs(slope - other) <= 1e-6 * max(1, other.magnitude))
    let (explained, whole) = (try #require(found.explained), try #require(expected.explained))
    #expect(abs(explained.stalls - whole.stalls) < 1e-9)
    #expect(abs(explained.machine - whole.machine) < 1e-9)
    #expect(abs(explained.otherModes - whole.otherModes) < 1e-9)
    #expect(found.verdict == expected.verdict)
    // Slices are four seconds long, cells one: at a slice's edge a cell counts in both.
    for (place, slice) in found.series.enumerated() {
      let worst = try #require(slice.runLoop)
      let around = expected.series[max(place - 1, 0)...min(place + 1, expected.series.count - 1)]
      let least = try #require(expected.series[place].runLoop)
      #expect(worst >= least.since(least / 100 + 256))
      #expect(worst <= around.compactMap(\.runLoop).max() ?? 0)
    }
  }

  @Test func thatIsLeftOutIsExplainedByTheLessLateHalfOfWhatIsKept() throws {
    // 100 late ticks in a minute: 8 in stalls, the others by shorter work.
    let ticks = (0..<600 as Range<UInt64>).map { number in
      tick(number, number % 130 == 5 ? 90 * .millisecond : number % 6 == 0 ? 2 * .millisecond : 0, 0)
    }
    let (rows, windows) = both(ticks)
    let (expected, found) = (
      try #require(rows.report().drift?.explained), try #require(windows.report().drift?.explained)
    )
    #expect(abs(found.stalls - expected.stalls) < 0.01)
    #expect(found.machine == expected.machine)
  }

  @Test func isNotExplainedWhereNoLateTickIsKept() throws {
    var (_, windows) = both([tick(10, 90 * .millisecond, 0), tick(20, 90 * .millisecond, 0)])
    windows.storedTickWindows[1]?[0].kept = []
    let drift = try #require(windows.report().drift)
    #expect(drift.runLoop.maximum == 90 * .millisecond)
    #expect(drift.explained == nil)
    #expect(drift.verdict.hasSuffix("the ticks that would say why were removed."))
  }
}
