import Testing

@testable import StallwatchCore

@Suite("A loop that was woken for its tick")
struct TickWakeTests {
  /// A loop in its wait, with a tick due every 100 ms from 1.1 s on, which waits since 1 s.
  private func waitingLoop() -> TraceLoop {
    let loop = TraceLoop(watchedFrom: 1.s, grid: DueGrid(first: 1_100.ms, interval: 100.ms))
    loop.region.setDriftModes([TraceMode.default.rawValue])
    loop.entry()
    loop.beforeTimers(10.us)
    loop.beforeSources(1.us)
    loop.beforeWaiting(2.us)
    return loop
  }

  /// The rest of an iteration that does nothing.
  private func goRound(_ loop: TraceLoop, each: Nanoseconds = 1.us) {
    loop.beforeTimers(each)
    loop.beforeSources(each)
    loop.beforeWaiting(each)
  }

  /// What a reader of the loop's memory finds.
  private struct Trace: Equatable {
    var entries: UInt64
    var iterations: UInt64
    var counts: [UInt64]
    var totals: [Nanoseconds]
    var spells: [LongSpell]
    var position: LoopPosition
    var restStart: Nanoseconds

    init(_ loop: TraceLoop, in mode: TraceMode = .default) {
      entries = loop.counters(mode).entries
      iterations = loop.counters(mode).iterations
      counts = Metric.allCases.map { loop.count($0, in: mode) }
      totals = Metric.allCases.map { loop.total($0, in: mode) }
      spells = loop.spells
      position = loop.region.position
      restStart = loop.region.restStart
    }
  }

  @Test("waits on, as if it had not been woken, and has served the tick")
  func waitsOn() {
    let loop = waitingLoop()
    let (before, activities) = (Trace(loop), loop.region.activities)
    for place in 1...3 {
      loop.region.willWake(for: loop.region.tickDue)
      #expect(loop.afterWaiting(99.ms + 997.us), "a parked watchdog must be woken: a callout may hold the loop")
      goRound(loop)
      #expect(Trace(loop) == before)
      #expect(loop.region.ownActivities == activities)
      #expect(loop.region.activities == activities + UInt64(4 * place))
    }
    #expect(loop.region.ticks.drain().map(\.dueNs) == [1_100.ms, 1_200.ms, 1_300.ms])
    loop.afterWaiting(1.s)
    #expect(loop.count(.waiting) == 1)
    #expect(loop.total(.waiting) == loop.now - before.restStart)
    #expect(loop.region.ownActivities == activities + 1)
  }

  @Test("is shown as held until it waits again, and its activities do not count meanwhile")
  func shown() {
    let loop = waitingLoop()
    let activities = loop.region.activities
    loop.region.willWake(for: 1_100.ms)
    loop.afterWaiting(100.ms)
    #expect(loop.region.isInTickWake)
    #expect(loop.region.position == LoopPosition(spanStart: loop.now, mode: 0, depth: 1, phase: .service))
    loop.beforeTimers(1.us)
    let span = loop.now
    #expect(loop.region.position == LoopPosition(spanStart: span, mode: 0, depth: 1, phase: .prepare))
    loop.beforeSources(1.us)
    #expect(loop.region.position == LoopPosition(spanStart: span, mode: 0, depth: 1, phase: .sources))
    #expect(loop.region.ownActivities == activities)
    loop.beforeWaiting(1.us)
    #expect(!loop.region.isInTickWake)
    #expect(loop.region.position.isWaiting)
  }

  /// How an iteration that began with a tick may go on.
  enum Continuation: CaseIterable, Sendable {
    case longCallout, stall, longSources, source, nestedRun, exit, laterTick

    func act(on loop: TraceLoop) {
      switch self {
      case .longCallout: round(loop, service: 2.ms)
      case .stall: round(loop, service: 200.ms)
      case .longSources: round(loop, sources: 3.ms)
      case .source:
        loop.beforeTimers(1.us)
        loop.beforeSources(1.us)
        round(loop)
      case .nestedRun:
        loop.entry(1.us, in: .modal)
        loop.beforeTimers(1.us, in: .modal)
        loop.beforeSources(1.us, in: .modal)
        loop.beforeWaiting(1.us, in: .modal)
        loop.afterWaiting(1.ms, in: .modal)
        loop.exit(1.us, in: .modal)
        round(loop)
      case .exit:
        loop.exit(1.us)
        loop.entry(10.ms)
        round(loop)
      case .laterTick: round(loop, service: 150.ms)
      }
    }

    private func round(_ loop: TraceLoop, service: Nanoseconds = 1.us, sources: Nanoseconds = 1.us) {
      loop.beforeTimers(service)
      loop.beforeSources(1.us)
      loop.beforeWaiting(sources)
    }
  }

  @Test("and does work of its own is folded like one that woke by itself", arguments: Continuation.allCases)
  func ownWork(continuation: Continuation) {
    let (woken, other) = (waitingLoop(), waitingLoop())
    woken.region.willWake(for: 1_100.ms)
    for loop in [woken, other] {
      loop.afterWaiting(100.ms)
      continuation.act(on: loop)
    }
    #expect(Trace(woken) == Trace(other))
    #expect(Trace(woken, in: .modal) == Trace(other, in: .modal))
    #expect(woken.region.ownActivities == other.region.ownActivities)
    #expect(woken.region.ticks.drain() == other.region.ticks.drain())
    #expect(!woken.region.isInTickWake)
    for loop in [woken, other] {
      loop.afterWaiting(7.ms)
      loop.beforeTimers(1.ms)
    }
    #expect(Trace(woken) == Trace(other), "and so is what comes after it")
  }

  @Test("and is held has its stall reported as soon as that is over")
  func stall() {
    let loop = waitingLoop()
    loop.region.willWake(for: 1_100.ms)
    loop.afterWaiting(100.ms)
    let start = loop.now
    #expect(loop.spells.isEmpty)
    loop.beforeTimers(70.ms)
    #expect(loop.spells(.span).map(\.start) == [start])
    #expect(loop.spells(.span).map(\.end) == [loop.now])
  }

  @Test("in the mode of another run than the one on top is folded like one that woke by itself")
  func unseenMode() {
    let (woken, other) = (waitingLoop(), waitingLoop())
    woken.region.willWake(for: 1_100.ms)
    for loop in [woken, other] {
      loop.afterWaiting(100.ms)
      loop.beforeTimers(20.us, in: .helper)
      loop.beforeSources(1.us, in: .helper)
    }
    #expect(Trace(woken) == Trace(other))
    #expect(Trace(woken, in: .helper) == Trace(other, in: .helper))
  }

  @Test("after it had woken by itself and served the tick does the next wake-up for itself")
  func late() {
    let loop = waitingLoop()
    loop.region.willWake(for: 1_000.ms)
    loop.afterWaiting(100.ms)
    goRound(loop)
    #expect(loop.count(.waiting) == 1)
    #expect(loop.counters().iterations == 2)
    #expect(loop.region.ownActivities == loop.region.activities)
  }

  @Test("in a mode that the probe has left meanwhile serves none, and does that for itself")
  func leftMode() {
    let loop = waitingLoop()
    loop.region.willWake(for: 1_100.ms)
    loop.region.setDriftModes([])
    loop.afterWaiting(100.ms)
    goRound(loop)
    #expect(loop.region.ticks.pop() == nil)
    #expect(loop.counters().iterations == 2)
  }

  @Test("in a nested run goes on waiting there")
  func nested() {
    let loop = waitingLoop()
    loop.region.setDriftModes([0, TraceMode.modal.rawValue])
    loop.afterWaiting(1.ms)
    loop.entry(1.us, in: .modal)
    loop.beforeTimers(1.us, in: .modal)
    loop.beforeSources(1.us, in: .modal)
    loop.beforeWaiting(1.us, in: .modal)
    let before = (Trace(loop), Trace(loop, in: .modal))
    loop.region.willWake(for: loop.region.tickDue)
    loop.afterWaiting(99.ms, in: .modal)
    loop.beforeTimers(1.us, in: .modal)
    loop.beforeSources(1.us, in: .modal)
    loop.beforeWaiting(1.us, in: .modal)
    #expect(Trace(loop) == before.0)
    #expect(Trace(loop, in: .modal) == before.1)
    #expect(loop.region.ticks.drain().count == 1)
  }

  @Test("reports no activities to a reader, whenever it reads")
  func reader() {
    let loop = waitingLoop()
    var reader = LoopReader(loop: LoopID(rawValue: 1), region: loop.region)
    reader.add(loop.counters(), retired: loop.retired())
    #expect(reader.progress()?.activities == 4)
    _ = reader.deltas(at: loop.now)
    loop.region.willWake(for: 1_100.ms)
    loop.afterWaiting(100.ms)
    #expect(reader.progress() == nil)
    loop.beforeTimers(1.us)
    #expect(reader.progress() == nil)
    loop.beforeSources(1.us)
    loop.beforeWaiting(1.us)
    #expect(reader.progress() == nil)
    #expect(reader.deltas(at: loop.now).isEmpty)
  }
}
