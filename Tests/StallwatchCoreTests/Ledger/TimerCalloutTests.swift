import StallwatchCore
import Testing

@Suite("A timer's callout")
struct TimerCalloutTests {
  private let loop = TraceLoop()

  private func timer(_ interval: Nanoseconds) -> TraceTimer {
    TraceTimer(every: interval, first: loop.now + interval, on: loop)
  }

  @Test("that invalidates its timer is blamed for what was due until then, and for no more")
  func endedInside() throws {
    loop.entry()
    loop.beforeTimers()
    let timer = timer(10.ms)
    let due = timer.due
    timer.fold.begin(due: due, interval: 10.ms, at: due)
    timer.fold.finish(at: due + 31.ms)
    timer.fold.end(at: due + 95.ms)
    let delta = try #require(timer.delta())
    #expect(delta.dropped == 3)
    #expect(delta.calloutTotal == 95.ms)
    #expect(timer.fires.pop()?.missed == 3)
    #expect(timer.fires.pop() == nil)
  }

  @Test("that gives its timer another date ends the grid at that moment, not at its own end")
  func rearmedInside() throws {
    loop.entry()
    loop.beforeTimers()
    let timer = timer(10.ms)
    let due = timer.due
    timer.fold.begin(due: due, interval: 10.ms, at: due)
    timer.fold.rearm(to: due + 1.s, at: due + 31.ms)
    timer.fold.end(at: due + 95.ms)
    #expect(timer.fires.pop()?.missed == 3)
    timer.fold.begin(due: due + 1.s, interval: 10.ms, at: due + 1.s)
    timer.fold.end(at: due + 1.s)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 2)
    #expect(delta.dropped == 3)
    #expect(delta.coalesced == 1)
    #expect(delta.rearmed == 1)
  }

  @Test("that runs the loop in another mode is itself to blame for what it misses, and no stall is")
  func nestedRun() throws {
    loop.entry()
    loop.beforeTimers()
    let timer = timer(10.ms)
    loop.beforeSources()
    loop.beforeWaiting()
    loop.afterWaiting(10.ms)
    let due = timer.due
    timer.fold.begin(due: due, interval: 10.ms, at: loop.now)
    loop.entry(in: .modal)
    for _ in 0..<20 {
      loop.beforeTimers(in: .modal)
      loop.beforeSources(in: .modal)
      loop.beforeWaiting(in: .modal)
      loop.afterWaiting(10.ms, in: .modal)
    }
    loop.exit(in: .modal)
    timer.fold.end(at: loop.now + 1.ms)
    timer.fold.begin(due: due + 210.ms, interval: 10.ms, at: due + 210.ms)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 2)
    #expect(delta.dropped == 20)
    #expect(delta.droppedByMode.isEmpty && delta.droppedOutside == 0)
    #expect(timer.fires.pop() == nil)
  }

  @Test("of a one-shot inside that of another that shares its board counts no time twice")
  func sharedNested() throws {
    loop.entry()
    let timer = TraceTimer(every: 0, first: 0, on: loop)
    let start = loop.now
    timer.fold.begin(due: start, interval: 0, at: start)
    #expect(timer.counters.isInCallout)
    timer.fold.begin(due: start + 5.ms, interval: 0, at: start + 5.ms)
    timer.fold.end(at: start + 6.ms)
    #expect(timer.counters.isInCallout)
    timer.fold.end(at: start + 10.ms)
    #expect(!timer.counters.isInCallout)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 2)
    #expect(delta.calloutTotal == 10.ms)
    #expect(delta.calloutMaximum == 10.ms)
  }

  @Test("of a one-shot is followed by the timer's end, at which nothing is due any more")
  func oneShot() throws {
    loop.entry()
    let timer = TraceTimer(every: 0, first: loop.now + 1.ms, on: loop)
    timer.fold.begin(due: timer.due, interval: 0, at: loop.now + 2.ms)
    timer.fold.end(at: loop.now + 3.ms)
    timer.fold.finish(at: loop.now + 3.ms)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 1)
    #expect(delta.dropped == 0)
  }

  @Test("that was not seen to begin counts for nothing")
  func unseenBeginning() {
    let timer = timer(10.ms)
    timer.fold.end(at: loop.now)
    #expect(timer.delta() == nil)
  }

  @Test("that went on when watching began is no re-arming, nor has it dropped what was not seen")
  func watchedFromInside() throws {
    loop.entry()
    let timer = timer(10.ms)
    timer.fold.begin(due: timer.due + 40.ms, interval: 10.ms, at: timer.due + 40.ms)
    let delta = try #require(timer.delta())
    #expect(delta.rearmed == 0)
    #expect(delta.dropped == 0)
  }
}
