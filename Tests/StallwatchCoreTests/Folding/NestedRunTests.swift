import StallwatchCore
import Testing

@Suite("A nested run")
struct NestedRunTests {
  @Test("is charged to its own mode, and the phase around it with its own time only, as one sample")
  func otherMode() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.beforeWaiting()
    loop.afterWaiting(1.s)
    for _ in 1...2 {
      loop.entry(10.ms, in: .modal)
      loop.beforeTimers(in: .modal)
      loop.beforeSources(in: .modal)
      loop.beforeWaiting(1.ms, in: .modal)
      loop.afterWaiting(3.s, in: .modal)
      loop.exit(2.ms, in: .modal)
    }
    loop.beforeTimers(10.ms)

    #expect(loop.count(.service) == 1)
    #expect(loop.total(.service) == 30.ms)
    #expect(loop.counters()[.span].maximum == 10.ms, "the span is cut: the loop turned in between")
    #expect(loop.count(.waiting, in: .modal) == 2)
    #expect(loop.total(.waiting, in: .modal) == 6.s)
    #expect(loop.total(.service, in: .modal) == 4.ms)
    #expect(loop.counters(.modal).entries == 2)
    #expect(loop.counters().starved == 6.s + 6.ms)
    #expect(loop.counters(.modal).starved == 0)
    #expect(loop.spells.isEmpty, "a modal run that turns is healthy")
  }

  @Test("in the same mode starves nobody")
  func sameMode() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.entry(5.ms)
    loop.beforeTimers()
    loop.beforeSources(1.us)
    loop.beforeWaiting(2.us)
    loop.afterWaiting(1.s)
    loop.exit(3.us)
    loop.beforeWaiting(7.ms)

    #expect(loop.counters().starved == 0)
    #expect(loop.count(.sources) == 2)
    #expect(loop.total(.sources) == 12.ms + 2.us)
    #expect(loop.counters().entries == 2)
    #expect(loop.total(.span) == 12.ms + 6.us)
    #expect(loop.region.position.depth == 1)
  }

  @Test("holds back the gap around it, which counts the outer run's own time")
  func gap() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.entry(1.ms, in: .modal)
    loop.exit(1.s, in: .modal)
    loop.beforeWaiting(1.ms)
    loop.afterWaiting(9.ms)

    #expect(loop.total(.gap) == 11.ms)
    #expect(loop.total(.waiting) == 9.ms)
  }

  @Test("three deep starves each mode below for exactly the time it could not run")
  func threeDeep() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.entry(1.ms, in: .tracking)
    loop.beforeTimers(2.ms, in: .tracking)
    loop.beforeSources(in: .tracking)
    loop.entry(4.ms, in: .default)
    loop.entry(8.ms, in: .modal)
    #expect(loop.region.position.depth == 4)
    loop.exit(16.ms, in: .modal)
    loop.exit(32.ms, in: .default)
    loop.exit(40.ms, in: .tracking)
    loop.exit(3.ms)

    #expect(
      loop.counters(.default).starved == 2.ms + 4.ms + 16.ms + 40.ms, "once each, though it is in the stack twice")
    #expect(loop.counters(.tracking).starved == 8.ms + 16.ms + 32.ms)
    #expect(loop.counters(.modal).starved == 0)
    #expect(loop.total(.prepare, in: .modal) == 16.ms)
    #expect(loop.total(.prepare, in: .default) == 40.ms, "the inner run's 8 + 32 ms")
    #expect(loop.total(.sources, in: .default) == 4.ms)
    #expect(loop.total(.sources, in: .tracking) == 44.ms)
    #expect(loop.charged == 106.ms)
    #expect(loop.totalInAllModes(.span) == 106.ms)
  }

  @Test("that stalls is reported once, for its own mode and depth")
  func stall() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.entry(20.ms, in: .modal)
    loop.beforeTimers(in: .modal)
    loop.beforeSources(in: .modal)
    loop.exit(60.ms, in: .modal)
    loop.beforeWaiting(45.ms)

    #expect(loop.spells(.span).map(\.own) == [60.ms])
    #expect(loop.spells(.span).map(\.mode) == [2])
    #expect(loop.spells(.span).map(\.depth) == [2])
    let outer = loop.spells(.phase).filter { $0.mode == 0 }
    #expect(outer.map(\.own) == [65.ms], "a long phase in two pieces, though neither is a stall")
    #expect(outer.map { $0.end - $0.start } == [125.ms])
  }

  @Test("whose exit was missed is ended by the next activity of the run around it")
  func missedExit() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.entry(1.ms, in: .tracking)
    loop.entry(2.ms, in: .modal)
    loop.beforeTimers(4.ms)

    #expect(loop.region.position.depth == 1)
    #expect(loop.total(.prepare, in: .modal) == 4.ms)
    #expect(loop.total(.prepare, in: .tracking) == 2.ms)
    #expect(loop.total(.sources) == 1.ms)
    #expect(loop.counters().starved == 6.ms)
    #expect(loop.counters(.tracking).starved == 4.ms)
  }

  @Test("that was last seen waiting, and whose exit was missed, does not hide the watchdog's waking")
  func missedExitAfterWait() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    for activity in [Activity.beforeTimers, .beforeSources, .afterWaiting, .exit] {
      loop.entry(in: .modal)
      loop.beforeWaiting(in: .modal)
      if activity == .exit {
        #expect(loop.exit(1.ms, in: .modal), "to the span of the run around it")
      } else {
        #expect(loop.observe(activity, 1.ms, in: .default))
      }
      #expect(loop.region.position.spanStart == loop.now)
      #expect(loop.region.position.depth == 1)
    }
  }

  @Test("deeper than the stack is counted, and the time in it is blind, no false stall")
  func tooDeep() {
    let loop = TraceLoop()
    for _ in 0..<LoopFold.maximumDepth { loop.entry(1.us) }
    let deepest = loop.region.position
    #expect(deepest.depth == LoopFold.maximumDepth)
    loop.entry(1.us, in: .modal)
    loop.entry(1.us, in: .helper)
    #expect(loop.region.lostActivations == 2)
    #expect(loop.region.position.spanStart == nil)
    loop.beforeTimers(1.s, in: .helper)
    loop.beforeWaiting(in: .helper)
    loop.afterWaiting(5.s, in: .helper)
    loop.exit(in: .helper)
    #expect(loop.exit(in: .modal), "the run around it is held again")
    #expect(loop.region.position.spanStart == loop.now)
    for _ in 0..<LoopFold.maximumDepth { loop.exit(1.us) }

    #expect(loop.region.position.isOutside)
    #expect(loop.blind == 6.s + 1.us)
    #expect(loop.spells(.span).isEmpty)
    #expect(loop.counters().entries == UInt64(LoopFold.maximumDepth))
    #expect(loop.counters(.modal).entries == 0)
    #expect(loop.charged == UInt64(2 * LoopFold.maximumDepth) * .microsecond)
  }
}
