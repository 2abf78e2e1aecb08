import StallwatchCore
import Testing

@Suite("A loop's runs")
struct ModeRunsTests {
  @Test("go on across RunLoop.run's leaving and entering again")
  func reentry() {
    let loop = TraceLoop()
    loop.entry()
    for _ in 0..<500 {
      loop.exit(1.ms)
      loop.entry(5.us)
    }
    let timer = TraceTimer(every: 100.ms, first: loop.now - 450.ms, on: loop)
    timer.fold.begin(due: loop.now - 450.ms, interval: 100.ms, at: loop.now)
    #expect(timer.counters.dropped == 4)
    #expect(timer.delta()?.droppedOutside == 0)
  }

  @Test("say nothing of what was forgotten")
  func forgotten() throws {
    let loop = TraceLoop()
    for _ in 0..<200 {
      loop.entry()
      loop.exit(1.ms)
      loop.entry(10.ms, in: .modal)
      loop.exit(1.ms, in: .modal)
    }
    loop.entry()
    let timer = TraceTimer(every: 1.ms, first: 1.s, on: loop)
    timer.fold.begin(due: 1.s, interval: 1.ms, at: loop.now)
    let delta = try #require(timer.delta())
    #expect(delta.dropped == 2_400)
    let explained = delta.droppedByMode.reduce(0) { $0 + $1.count } + delta.droppedOutside
    #expect(explained > 100 && explained < 1_000)
  }

  @Test("go on where they were taken up again after the ring was full")
  func reentryWhenFull() throws {
    let loop = TraceLoop()
    for _ in 0..<100 {
      loop.entry(10.ms)
      loop.entry(1.ms, in: .modal)
      loop.exit(20.ms, in: .modal)
      loop.exit(1.ms)
    }
    loop.entry(10.us)
    loop.beforeTimers(5.ms)
    let due = loop.now - 27.ms
    let timer = TraceTimer(every: 1.ms, first: due, on: loop)
    timer.fold.join(mode: TraceMode.default.rawValue)
    timer.fold.begin(due: due, interval: 1.ms, at: loop.now)
    let delta = try #require(timer.delta())
    #expect(delta.dropped == 27)
    #expect(delta.droppedByMode.map(\.count) == [20])
    #expect(delta.droppedOutside == 0)
  }

  @Test("blame neither a mode nor the time outside for what happened before a run was seen")
  func unseen() throws {
    let loop = TraceLoop()
    loop.beforeTimers()
    loop.beforeTimers(1.ms)
    let timer = TraceTimer(every: 10.ms, first: loop.now - 100.ms, on: loop)
    timer.fold.begin(due: loop.now - 100.ms, interval: 10.ms, at: loop.now)
    var delta = try #require(timer.delta())
    #expect(delta.dropped == 10)
    #expect(delta.droppedOutside == 0 && delta.droppedByMode.isEmpty)

    loop.exit(1.ms)
    loop.beforeTimers(50.ms)
    let due = loop.now - 40.ms
    timer.fold.rearm(to: due, at: due - 1.ms)
    _ = timer.delta()
    timer.fold.begin(due: due, interval: 10.ms, at: loop.now)
    delta = try #require(timer.delta())
    #expect(delta.dropped == 4)
    #expect(delta.droppedOutside == 0)
  }

  @Test("blame nothing for a callout that comes in a run that was not seen")
  func unseenCallout() throws {
    let loop = TraceLoop()
    loop.entry()
    loop.exit(1.ms)
    let timer = TraceTimer(every: 10.ms, first: loop.now + 5.ms, on: loop)
    timer.fold.begin(due: loop.now + 5.ms, interval: 10.ms, at: loop.now + 60.ms)
    let delta = try #require(timer.delta())
    #expect(delta.dropped == 5)
    #expect(delta.droppedOutside == 0)
  }
}
