import StallwatchCore
import Testing

@Suite("The timers that stalls hurt")
struct StallTimersTests {
  private let timer = TimerID(rawValue: 7)

  private func began(_ id: UInt64, at start: Nanoseconds) -> StallBegan {
    StallBegan(
      id: StallID(rawValue: id), loop: LoopID(rawValue: 1), mode: 0, phase: .service, depth: 1, kind: .stall,
      startedNs: start, detectedNs: start + 50.ms, annotations: [:])
  }

  private func ended(_ id: UInt64, after duration: Nanoseconds, _ state: StallState = .ended) -> StallEnded {
    StallEnded(id: StallID(rawValue: id), state: state, duration: duration, phase: .service, reason: nil)
  }

  private func late(due: Nanoseconds, at: Nanoseconds, missed: UInt64 = 0) -> LateFire {
    LateFire(slot: 0, isCallout: true, due: due, interval: 10.ms, at: at, missed: missed)
  }

  @Test("are those whose due time lies before its end and whose callout came after its start")
  func overlap() {
    var timers = StallTimers()
    timers.begin(began(1, at: 1.s))
    timers.end(ended(1, after: 100.ms))
    timers.add(late(due: 1.s + 20.ms, at: 1.s + 101.ms, missed: 8), of: timer)
    timers.add(late(due: 1.s + 300.ms, at: 1.s + 320.ms), of: TimerID(rawValue: 8))
    #expect(
      timers.take() == [
        StallTimer(stall: StallID(rawValue: 1), timer: timer, late: 1, dropped: 8, worstLateness: 81.ms)
      ])
    #expect(timers.take().isEmpty)
  }

  @Test("are found for a stall that becomes known later, and for both of two stalls")
  func later() {
    var timers = StallTimers()
    timers.add(late(due: 1.s + 20.ms, at: 1.s + 301.ms, missed: 28), of: timer)
    #expect(timers.take().isEmpty)
    timers.begin(began(1, at: 1.s))
    timers.end(ended(1, after: 100.ms))
    timers.begin(began(2, at: 1.s + 200.ms))
    let found = timers.take()
    #expect(found.map(\.stall.rawValue) == [1, 2])
    #expect(found.map(\.dropped) == [8, 11])
  }

  @Test("are none of a cancelled stall")
  func cancelled() {
    var timers = StallTimers()
    timers.begin(began(1, at: 1.s))
    timers.end(ended(1, after: 100.ms, .cancelled))
    timers.add(late(due: 1.s + 20.ms, at: 1.s + 101.ms), of: timer)
    for _ in 0..<5 { #expect(timers.take().isEmpty) }
  }
}

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
    #expect(timer.board.dropped == 4)
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
}
