import StallwatchCore
import Testing

@Suite("A busy run")
struct BusyRunTests {
  /// A loop that has just woken up.
  private func wokenLoop() -> TraceLoop {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.beforeWaiting()
    loop.afterWaiting(1.s)
    return loop
  }

  /// An iteration that handled a source0: without a wait.
  private func busyIteration(_ loop: TraceLoop, _ duration: Nanoseconds) {
    loop.beforeTimers()
    loop.beforeSources()
    loop.beforeTimers(duration)
    loop.beforeSources()
  }

  @Test("of the threshold in which no span is a stall is congestion")
  func congestion() {
    let loop = wokenLoop()
    let start = loop.now
    for _ in 1...10 { busyIteration(loop, 5.ms) }
    #expect(loop.spells.isEmpty, "it is not over")
    loop.beforeWaiting()

    #expect(
      loop.spells == [
        LongSpell(kind: .busyRun, phase: .service, depth: 1, mode: 0, start: start, end: loop.now, own: 50.ms)
      ])
    #expect(loop.count(.span) == 23, "its spans have been counted")
  }

  @Test("of a nanosecond less than the threshold is not")
  func shorter() {
    let loop = wokenLoop()
    for _ in 1...9 { busyIteration(loop, 5.ms) }
    loop.beforeWaiting(5.ms - 1)
    #expect(loop.spells.isEmpty)
  }

  @Test("that holds a stall is reported as that stall alone")
  func stall() {
    let loop = wokenLoop()
    for _ in 1...10 { busyIteration(loop, 30.ms) }
    busyIteration(loop, 60.ms)
    loop.beforeWaiting()
    #expect(loop.spells(.busyRun).isEmpty)
    #expect(loop.spells(.span).map(\.own) == [60.ms])

    loop.afterWaiting(1.s)
    for _ in 1...2 { busyIteration(loop, 30.ms) }
    loop.beforeWaiting()
    #expect(loop.spells(.busyRun).map(\.own) == [60.ms], "the next one stands for itself")
  }

  @Test("goes on across an exit and the entry that follows at once, and ends at a long pause outside")
  func reentry() {
    let loop = TraceLoop()
    let start = loop.now
    for _ in 1...6 {
      loop.entry(3.us)
      loop.beforeTimers()
      loop.beforeSources()
      loop.exit(10.ms)
    }
    let end = loop.now
    #expect(loop.spells.isEmpty)
    loop.entry(LoopFold.reentry + 1)

    #expect(
      loop.spells == [
        LongSpell(
          kind: .busyRun, phase: .prepare, depth: 1, mode: 0, start: start + 3.us, end: end, own: 60.ms)
      ])
    #expect(loop.region.outside == 15.us + LoopFold.reentry + 1)
  }

  @Test("does not end at a pause outside of just the bound")
  func shortPause() {
    let loop = TraceLoop()
    loop.entry()
    loop.exit(30.ms)
    loop.entry(LoopFold.reentry)
    loop.exit(30.ms)
    #expect(loop.spells.isEmpty)
    loop.entry(1.s)
    #expect(loop.spells(.busyRun).map(\.own) == [60.ms])
  }

  @Test("spans nested runs, and ends at a nested run's wait too")
  func nested() {
    let loop = wokenLoop()
    loop.entry(20.ms, in: .modal)
    loop.beforeTimers(20.ms, in: .modal)
    loop.beforeSources(in: .modal)
    loop.beforeWaiting(20.ms, in: .modal)
    #expect(loop.spells(.busyRun).map(\.own) == [60.ms])
    #expect(loop.spells(.busyRun).map(\.depth) == [1], "it stands where its first span stood")

    loop.afterWaiting(1.s, in: .modal)
    loop.exit(20.ms, in: .modal)
    loop.beforeTimers(20.ms)
    loop.beforeSources()
    loop.beforeWaiting()
    #expect(loop.spells(.busyRun).count == 1, "40 ms since the wait")
  }

  @Test("ends when a run that was nested in a wait gives way to that wait")
  func nestedInWait() {
    let loop = wokenLoop()
    loop.beforeTimers()
    loop.beforeSources()
    loop.beforeWaiting(20.ms)
    loop.entry(in: .modal)
    loop.exit(20.ms, in: .modal)
    loop.afterWaiting(10.s)
    loop.beforeTimers(40.ms)
    loop.beforeSources()
    loop.beforeWaiting()
    #expect(loop.spells.isEmpty)
  }

  @Test("ends at a blind interval, which may hold a wait")
  func blind() {
    let loop = wokenLoop()
    loop.beforeTimers(30.ms)
    loop.exit(1.s, in: .modal)
    loop.beforeTimers(30.ms)
    loop.beforeSources()
    loop.beforeWaiting()
    #expect(loop.spells(.busyRun).isEmpty)
  }
}
