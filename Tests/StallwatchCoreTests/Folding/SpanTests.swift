import StallwatchCore
import Testing

@Suite("A span")
struct SpanTests {
  @Test("of exactly the threshold is set aside, and one of a nanosecond less is not")
  func threshold() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    loop.beforeWaiting()
    loop.afterWaiting(1.s)
    let start = loop.now
    loop.beforeTimers(50.ms)
    #expect(
      loop.spells == [
        LongSpell(kind: .phase, phase: .service, depth: 1, mode: 0, start: start, end: loop.now, own: 50.ms),
        LongSpell(kind: .span, phase: .service, depth: 1, mode: 0, start: start, end: loop.now, own: 50.ms),
      ])
    #expect(loop.counters()[.service].count == 0, "the watchdog counts it, after excluded time is taken out")

    loop.beforeSources()
    loop.beforeWaiting(50.ms - 1)
    #expect(loop.spells.count == 2)
    #expect(loop.counters()[.span].maximum == 50.ms - 1)
  }

  @Test("is a stall although neither of its two phases is long, and is named after the longer one")
  func mainPhase() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources(20.ms)
    loop.beforeWaiting(40.ms)
    loop.afterWaiting(1.s)
    loop.beforeTimers()
    loop.beforeSources(40.ms)
    loop.beforeTimers(20.ms)

    #expect(loop.spells.map(\.kind) == [.span, .span])
    #expect(loop.spells.map(\.phase) == [.sources, .prepare])
    #expect(loop.spells.map(\.own) == [60.ms, 60.ms])
  }

  @Test("of which sources is the long part makes a long gap too, which holds the wait")
  func longGap() {
    let loop = TraceLoop()
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    let start = loop.now
    loop.beforeWaiting(80.ms)
    loop.afterWaiting(2.s)

    #expect(
      loop.spells(.gap) == [
        LongSpell(
          kind: .gap, phase: .sources, depth: 1, mode: 0, start: start, end: loop.now, own: 2.s + 80.ms)
      ])
    #expect(loop.total(.waiting) == 2.s)
  }

  @Test("is on the board from its start to its end, and nothing is while the loop waits")
  func board() {
    let loop = TraceLoop()
    #expect(loop.region.position.isOutside)
    loop.entry(in: .modal)
    #expect(loop.region.position == LoopPosition(spanStart: loop.now, mode: 2, depth: 1, phase: .prepare))
    loop.beforeTimers(1.us, in: .modal)
    let start = loop.now
    loop.beforeSources(1.us, in: .modal)
    #expect(loop.region.position == LoopPosition(spanStart: start, mode: 2, depth: 1, phase: .sources))
    loop.beforeWaiting(1.us, in: .modal)
    #expect(loop.region.position == LoopPosition(spanStart: nil, mode: 2, depth: 1, phase: .waiting))
    loop.afterWaiting(1.s, in: .modal)
    #expect(loop.region.position == LoopPosition(spanStart: loop.now, mode: 2, depth: 1, phase: .service))
    loop.exit(1.us, in: .modal)
    #expect(loop.region.position == LoopPosition(spanStart: nil, mode: 2, depth: 0, phase: .prepare))
  }

  @Test("wakes a parked watchdog when it follows a wait or a time outside, and only then")
  func waking() {
    let loop = TraceLoop()
    #expect(loop.entry(), "from outside")
    #expect(!loop.beforeTimers(1.us))
    #expect(!loop.beforeSources(1.us))
    #expect(!loop.beforeWaiting(1.us))
    #expect(loop.afterWaiting(1.us), "from a wait")
    #expect(!loop.entry(1.us, in: .modal), "nested in a span")
    #expect(!loop.beforeTimers(1.us, in: .modal))
    #expect(!loop.beforeSources(1.us, in: .modal))
    #expect(!loop.beforeWaiting(1.us, in: .modal))
    #expect(loop.afterWaiting(1.us, in: .modal), "from a nested run's wait")
    #expect(!loop.exit(1.us, in: .modal))
    #expect(!loop.exit(1.us))
    #expect(loop.entry(1.us), "from outside, again")
    loop.beforeTimers()
    loop.beforeSources()
    loop.beforeWaiting()
    #expect(loop.entry(1.us, in: .modal), "nested in a wait, by an observer that comes after ours")
    #expect(!loop.exit(1.us, in: .modal), "back to the wait")
    #expect(loop.region.position.spanStart == nil)
    #expect(loop.afterWaiting(1.us))
  }
}
