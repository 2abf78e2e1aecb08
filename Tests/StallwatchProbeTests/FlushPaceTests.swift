import StallwatchCore
import Testing

@testable import StallwatchProbe

/// Flushes come as often as they are asked for, and less often where they cost more than 2 % of a processor.
struct FlushPaceTests {
  private static let asked = 15 * Nanoseconds.millisecond

  @Test func cheapFlushesComeAsOftenAsAskedFor() {
    var pace = FlushPace(Self.asked, processors: 2)
    play(&pace, periods: 10, flushes: 16, own: 100_000, other: 199_000)
    #expect(pace.interval == Self.asked)
  }

  @Test func costlyFlushesTakeTwoPercentOfAProcessor() {
    var pace = FlushPace(Self.asked, processors: 2)
    play(&pace, periods: 10, flushes: 16, own: 300_000, other: 500_000)
    #expect(pace.interval == 40 * .millisecond)
  }

  @Test func flushesTakeATwentiethOfThatWhileTheProcessNeedsTheProcessors() {
    var pace = FlushPace(Self.asked, processors: 4)
    play(&pace, periods: 10, flushes: 16, own: 30_000, other: 50_000, busy: 0.6, idle: 0.4)
    #expect(pace.interval == 80 * .millisecond)
    // Another process has them, or nobody.
    for (busy, idle) in [(0.4, 0.4), (3.4, 0.6)] {
      play(&pace, periods: 3, flushes: 16, own: 30_000, other: 50_000, busy: busy, idle: idle)
      #expect(pace.interval == Self.asked)
      play(&pace, periods: 1, flushes: 16, own: 30_000, other: 50_000, busy: 0.6, idle: 0.4)
      #expect(pace.interval == 80 * .millisecond)
    }
  }

  @Test func loadThatComesInWavesMeetsFewFlushesFromTheFirstMomentOn() {
    var pace = FlushPace(Self.asked, processors: 2)
    play(&pace, periods: 4, flushes: 16, own: 30_000, other: 50_000, busy: 1.6, idle: 0.1)
    for _ in 0..<5 {
      // The wave ends, the watchdog is parked for a while, and the next one begins.
      play(&pace, periods: 2, flushes: 16, own: 30_000, other: 50_000, busy: 0.1, idle: 1.9)
      #expect(pace.interval == 80 * .millisecond)
      pace.noteRest()
      play(&pace, periods: 1, flushes: 1, own: 30_000, other: 50_000, busy: 0, idle: 2)
      #expect(pace.interval == 80 * .millisecond)
      play(&pace, periods: 1, flushes: 16, own: 30_000, other: 50_000, busy: 1.6, idle: 0.1)
      #expect(pace.interval == 80 * .millisecond)
    }
    play(&pace, periods: 3, flushes: 16, own: 30_000, other: 50_000, busy: 0.1, idle: 1.9)
    #expect(pace.interval == Self.asked)
  }

  @Test func whereTheMachineDoesNotSayHowIdleItIsTheProcessKeepsHalfOfItBusy() {
    var pace = FlushPace(Self.asked, processors: 2)
    play(&pace, periods: 10, flushes: 16, own: 30_000, other: 50_000, busy: 1.1, idle: nil)
    #expect(pace.interval == 80 * .millisecond)
    play(&pace, periods: 3, flushes: 16, own: 30_000, other: 50_000, busy: 0.9, idle: nil)
    #expect(pace.interval == Self.asked)
  }

  @Test func theMachineSaysHowIdleItIs() throws {
    let first = try #require(Platform.idleTime())
    let second = try #require(Platform.idleTime())
    #expect(first > 0 && second >= first)
    // Of each processor no more than since the boot, to the tick that the kernel counts in.
    let sinceBoot = Platform.now() + Platform.sleepOffset()
    #expect(second <= (sinceBoot + .second) * Nanoseconds(Platform.processors))
  }

  @Test func flushesComeAsAskedForWhileAStallGoesOn() {
    var pace = FlushPace(Self.asked, processors: 2)
    play(&pace, periods: 10, flushes: 16, own: 300_000, other: 500_000)
    pace.isHeld = true
    #expect(pace.interval == Self.asked)
    pace.isHeld = false
    #expect(pace.interval == 40 * .millisecond)
  }

  @Test func flushesComeTenTimesASecondAtLeast() {
    var pace = FlushPace(Self.asked, processors: 2)
    play(&pace, periods: 10, flushes: 16, own: 90 * .millisecond, other: 0)
    #expect(pace.interval == FlushPace.longest)
  }

  @Test func whatComesNowAndThenDoesNotCount() {
    var pace = FlushPace(Self.asked, processors: 2)
    for _ in 0..<5 {
      play(&pace, periods: 3, flushes: 16, own: 300_000, other: 900_000)
      play(&pace, periods: 1, flushes: 16, own: 50_000, other: 50_000)
      #expect(pace.interval == Self.asked)
    }
  }

  @Test func flushesComeAsOftenAgainOnceTheyAreCheap() {
    var pace = FlushPace(Self.asked, processors: 2)
    play(&pace, periods: 4, flushes: 16, own: 600_000, other: 900_000)
    #expect(pace.interval == 75 * .millisecond)
    play(&pace, periods: 1, flushes: 4, own: 50_000, other: 50_000)
    #expect(pace.interval == Self.asked)
  }

  @Test func anIntervalLongerThanAnyCostAsksForStays() {
    var pace = FlushPace(3_600 * .second, processors: 2)
    play(&pace, periods: 10, flushes: 1, own: 90 * .millisecond, other: 0)
    #expect(pace.interval == 3_600 * .second)
  }

  /// Plays periods in which each flush costs so much.
  private func play(
    _ pace: inout FlushPace, periods: Int, flushes: Int, own: Nanoseconds, other: Nanoseconds, busy: Double = 0.2,
    idle: Double? = 1
  ) {
    for _ in 0..<periods {
      for _ in 0..<flushes { pace.noteFlush(cpu: own) }
      times.other += other * Nanoseconds(flushes)
      times.now += .second
      times.process += Nanoseconds(busy * Double(Nanoseconds.second))
      times.idle += Nanoseconds((idle ?? 0) * Double(Nanoseconds.second))
      pace.endPeriod(
        at: times.now, recorderCPU: times.other, processCPU: times.process, idle: idle.map { _ in times.idle })
    }
  }

  /// What the clocks of the machine, of the other threads and of the process show, and its processors' idle time.
  private final class Times {
    var (now, other, process, idle): (Nanoseconds, Nanoseconds, Nanoseconds, Nanoseconds) = (0, 0, 0, 0)
  }
  private let times = Times()
}
