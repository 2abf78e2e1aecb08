import StallwatchCore
import Testing

@Suite("An observer attached late")
struct AttachingTests {
  @Test(
    "in mid-iteration charges from the first activity that it sees",
    arguments: [
      (Activity.beforeTimers, Phase.prepare), (.beforeSources, .sources), (.afterWaiting, .service),
    ])
  func midIteration(activity: Activity, phase: Phase) {
    let loop = TraceLoop()
    #expect(loop.observe(activity, in: .default))
    #expect(loop.region.position == LoopPosition(spanStart: loop.now, mode: 0, depth: 1, phase: phase))
    loop.exit(3.ms)

    #expect(loop.total(Metric(phase)) == 3.ms)
    #expect(loop.charged == 3.ms)
    #expect(loop.total(.span) == 3.ms)
    #expect(loop.counters().entries == 0)
    #expect(loop.counters().iterations == (activity == .beforeTimers ? 1 : 0))
    #expect(loop.region.position.isOutside)
    #expect(loop.blind == 0)
  }

  @Test("before the wait sees the wait, and the gap only from a beforeSources on")
  func beforeWait() {
    let loop = TraceLoop()
    #expect(!loop.beforeWaiting())
    #expect(loop.region.position.spanStart == nil)
    #expect(loop.afterWaiting(2.s))

    #expect(loop.total(.waiting) == 2.s)
    #expect(loop.count(.span) == 0)
    #expect(loop.count(.gap) == 0)
  }

  @Test("during the sleep sees afterWaiting first, and nothing of the sleep")
  func duringSleep() {
    let loop = TraceLoop()
    #expect(loop.afterWaiting(9.s))
    loop.beforeTimers(1.ms)

    #expect(loop.count(.waiting) == 0)
    #expect(loop.total(.service) == 1.ms)
    #expect(loop.blind == 0, "before the first activity nothing is observed, blind or not")
  }

  @Test("during the sleep of a nested run in an unseen mode makes the time since the last activity blind")
  func nestedUnseen() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources(1.ms)
    let start = loop.now
    #expect(!loop.afterWaiting(3.s, in: .modal), "the span of the run around it was on the board all the time")
    #expect(
      loop.spells == [
        LongSpell(kind: .blind, phase: .sources, depth: 1, mode: 0, start: start, end: loop.now, own: 3.s)
      ])
    #expect(loop.region.position == LoopPosition(spanStart: loop.now, mode: 2, depth: 2, phase: .service))
    loop.beforeTimers(2.ms, in: .modal)
    loop.exit(in: .modal)
    loop.beforeWaiting(4.ms)

    #expect(loop.total(.service, in: .modal) == 2.ms)
    #expect(loop.total(.sources) == 4.ms)
    #expect(loop.counters().starved == 2.ms)
    #expect(loop.spells(.span).isEmpty)
    #expect(loop.charged + loop.blind == loop.now - 1.s)
  }

  @Test("to a nested run that ends with the next activity goes back to the run around it")
  func nestedUnseenExit() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    #expect(!loop.exit(1.s, in: .modal))
    #expect(loop.region.position == LoopPosition(spanStart: loop.now, mode: 0, depth: 1, phase: .sources))
    loop.beforeWaiting(5.ms)

    #expect(loop.blind == 1.s)
    #expect(loop.total(.sources) == 5.ms)
    #expect(loop.total(.span) == 5.ms)
  }

  @Test("to a run that began after the last observed one makes the time between blind, for it was not all outside")
  func unseenOutermost() {
    let loop = TraceLoop()
    loop.entry()
    loop.exit(1.ms)
    #expect(loop.afterWaiting(2.s, in: .modal))
    loop.exit(1.ms, in: .modal)
    loop.exit(3.s, in: .tracking)
    loop.entry(5.ms)

    #expect(loop.region.outside == 5.ms)
    #expect(loop.spells(.blind).map(\.own) == [2.s, 3.s])
    #expect(loop.spells(.blind).map(\.depth) == [0, 0])
  }

  @Test("to a loop's very first run, in an unseen mode, makes the time since watching began blind")
  func unseenFirstRun() {
    let loop = TraceLoop(watchedFrom: 1.s)
    #expect(loop.afterWaiting(2.s, in: .modal))
    loop.exit(1.ms, in: .modal)

    #expect(loop.spells(.blind).map(\.start) == [1.s])
    #expect(loop.spells(.blind).map(\.own) == [2.s])
  }

  @Test("in two steps, so that the sleep's beginning is missed, makes no stall of the sleep")
  func missedBeforeWaiting() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers(1.us)
    loop.beforeSources(2.us)
    #expect(!loop.afterWaiting(8.s))
    loop.beforeTimers(4.us)

    #expect(loop.spells.map(\.kind) == [.blind])
    #expect(loop.blind == 8.s)
    #expect(loop.total(.service) == 4.us)
    #expect(loop.total(.sources) == 0)
    #expect(loop.count(.gap) == 0)
    #expect(loop.charged == 7.us)
  }

  @Test("in two steps, so that beforeSources is missed, measures no gap from an earlier one")
  func missedBeforeSources() {
    let loop = TraceLoop()
    loop.beforeSources()
    loop.beforeTimers(1.ms)
    loop.beforeWaiting(1.ms)
    loop.afterWaiting(1.s)

    #expect(loop.count(.gap) == 0)
    #expect(loop.total(.waiting) == 1.s)
  }

  @Test("cuts the span at the last activity: a stall that was over by then remains one")
  func stallBeforeBlind() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers(20.ms)
    let start = loop.now
    loop.beforeSources(60.ms)
    loop.afterWaiting(1.s, in: .modal)

    #expect(loop.spells(.span).map(\.own) == [60.ms])
    #expect(loop.spells(.span).map(\.start) == [start])
    #expect(loop.blind == 1.s)
  }

  @Test("between entry and beforeTimers charges what was seen before it, and no more")
  func blindInPrepare() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers(20.ms)
    loop.exit(1.s, in: .modal)
    loop.beforeSources(5.ms)

    #expect(loop.count(.prepare) == 1)
    #expect(loop.total(.prepare) == 25.ms)
    #expect(loop.blind == 1.s)
  }

  @Test("in two steps, so that the sleep's end is missed, has the next span on the board")
  func missedAfterWaiting() {
    let loop = TraceLoop()
    loop.beforeWaiting()
    #expect(loop.beforeTimers(1.s), "from a wait to a span")
    loop.beforeWaiting(1.us)
    #expect(loop.beforeSources(1.s), "from a wait to a span")
    #expect(loop.region.position == LoopPosition(spanStart: loop.now, mode: 0, depth: 1, phase: .sources))
    loop.beforeTimers(60.ms)

    #expect(loop.spells(.span).map(\.own) == [60.ms])
    #expect(loop.spells(.span).map(\.phase) == [.sources])
  }

  @Test("to a mode deeper than the stack is blind until that run ends")
  func tooDeep() {
    let loop = TraceLoop()
    for _ in 0..<LoopFold.maximumDepth { loop.entry() }
    loop.afterWaiting(1.s, in: .modal)
    #expect(loop.region.lostActivations == 1)
    loop.beforeTimers(1.s, in: .modal)
    #expect(loop.exit(1.s, in: .modal))
    #expect(loop.blind == 3.s)
    #expect(loop.region.position.spanStart == loop.now)
    #expect(loop.charged == 0)
  }
}
