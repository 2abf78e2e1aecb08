import StallwatchCore
import Testing

@Suite("An iteration")
struct IterationTests {
  @Test("that waits is split into its four phases, a gap and three spans")
  func waiting() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers(1.us)
    loop.beforeSources(2.us)
    loop.beforeWaiting(4.us)
    loop.afterWaiting(8.s)
    loop.beforeTimers(16.us)

    #expect(loop.total(.prepare) == 3.us)
    #expect(loop.total(.sources) == 4.us)
    #expect(loop.total(.waiting) == 8.s)
    #expect(loop.total(.service) == 16.us)
    #expect(loop.count(.gap) == 1)
    #expect(loop.total(.gap) == 8.s + 4.us)
    #expect(loop.count(.span) == 3, "entry to beforeTimers, to beforeWaiting, and afterWaiting to beforeTimers")
    #expect(loop.total(.span) == 23.us)
    #expect(loop.counters().entries == 1)
    #expect(loop.counters().iterations == 2)
    #expect(loop.spells.isEmpty, "a long wait is no long spell")
  }

  @Test("that handled a source0 does not wait: the sources phase lasts to the next heartbeat")
  func skippedWait() {
    let loop = TraceLoop()
    loop.entry()
    for _ in 1...3 {
      loop.beforeTimers()
      loop.beforeSources(1.us)
      loop.beforeTimers(30.ms)
      loop.beforeSources(1.us)
      loop.beforeWaiting(10.us)
      loop.afterWaiting(1.s)
    }

    #expect(loop.count(.sources) == 6)
    #expect(loop.total(.sources) == 90.ms + 30.us)
    #expect(loop.counters()[.span].maximum == 30.ms + 1.us, "each heartbeat ends a span: no false stall")
    #expect(loop.count(.gap) == 3, "an iteration without a wait has no gap")
    #expect(loop.total(.gap) == 3.s + 30.us)
    #expect(loop.spells.isEmpty)
  }

  @Test("of a run with a zero timeout ends at the run's exit")
  func zeroTimeout() {
    let loop = TraceLoop()
    for _ in 1...5 {
      loop.entry(100.us)
      loop.beforeTimers(1.us)
      loop.beforeSources(2.us)
      loop.exit(4.us)
    }

    #expect(loop.counters().entries == 5)
    #expect(loop.counters().iterations == 5)
    #expect(loop.total(.prepare) == 15.us)
    #expect(loop.total(.sources) == 20.us)
    #expect(loop.count(.waiting) == 0)
    #expect(loop.count(.gap) == 0)
    #expect(loop.total(.span) == 35.us)
    #expect(loop.region.outside == 400.us, "time before the first entry was not observed")
  }

  @Test("on the main-queue shortcut charges the drained blocks to the sources phase")
  func mainQueueShortcut() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.beforeWaiting()
    loop.afterWaiting(1.s)
    loop.beforeTimers(5.us)
    loop.beforeSources(1.us)
    loop.beforeTimers(20.ms)
    loop.beforeSources(1.us)
    loop.beforeWaiting(2.us)

    #expect(loop.total(.sources) == 20.ms + 2.us)
    #expect(loop.total(.service) == 5.us)
    #expect(loop.counters().iterations == 3)
    #expect(loop.count(.gap) == 1, "the gap that the shortcut cut off is no sample, and the next is still open")
  }

  @Test("after an entry includes what lies between the two, in one prepare sample")
  func firstIteration() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers(20.ms)
    loop.beforeSources(20.ms)

    #expect(loop.count(.prepare) == 1)
    #expect(loop.total(.prepare) == 40.ms)
    #expect(loop.count(.span) == 1)
    #expect(loop.total(.span) == 20.ms, "beforeTimers is a heartbeat")
  }

  @Test("need not follow an entry: a run that is stopped at once has a prepare phase alone")
  func emptyRun() {
    let loop = TraceLoop()
    loop.entry()
    loop.exit(3.us)

    #expect(loop.counters().entries == 1)
    #expect(loop.counters().iterations == 0)
    #expect(loop.total(.prepare) == 3.us)
    #expect(loop.total(.span) == 3.us)
  }

  @Test("may end by exit without a last beforeWaiting, in service or in sources")
  func exitWithoutWaiting() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.beforeWaiting(1.us)
    loop.afterWaiting(1.ms)
    loop.exit(70.ms)
    #expect(loop.spells.map(\.kind) == [.phase, .span])
    #expect(loop.total(.service) == 70.ms)
    #expect(loop.region.position.isOutside)

    loop.entry(5.ms)
    loop.beforeTimers()
    loop.beforeSources()
    loop.exit(2.ms)
    #expect(loop.total(.sources) == 2.ms + 1.us)
    #expect(loop.region.outside == 5.ms)
  }

  @Test("on a clock that stands still is counted all the same, and lasts nothing")
  func standingClock() {
    let loop = TraceLoop()
    loop.entry()
    for _ in 1...100 {
      loop.beforeTimers()
      loop.beforeSources()
      loop.beforeWaiting()
      loop.afterWaiting()
    }
    loop.exit()

    #expect(loop.counters().iterations == 100)
    #expect(loop.count(.waiting) == 100)
    #expect(loop.count(.service) == 100)
    #expect(loop.counters()[.service][0] == 100)
    #expect(loop.charged == 0)
    #expect(loop.spells.isEmpty)
  }
}
