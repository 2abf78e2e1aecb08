import StallwatchCore
import Testing

@Suite("A timer's growth")
struct TimerReaderTests {
  private let loop = TraceLoop()

  @Test("has each lateness in its bucket, and only what is new")
  func buckets() throws {
    loop.entry()
    let timer = TraceTimer(every: 100.ms, first: loop.now, on: loop)
    for lateness in [3.us, 3.us, 7.ms] { timer.fire(at: timer.due + lateness) }
    var lateness = try #require(timer.delta()?.lateness)
    #expect(lateness.buckets.map(\.index) == [3.us, 7.ms].map { HistogramLayout.index(of: $0) })
    #expect(lateness.buckets.map(\.count) == [2, 1])
    timer.fire(at: timer.due + 7.ms)
    lateness = try #require(timer.delta()?.lateness)
    #expect(lateness.buckets.map(\.index) == [HistogramLayout.index(of: 7.ms)])
    #expect(lateness.buckets.map(\.count) == [1])
    #expect(lateness.total == 7.ms)
    #expect(lateness.maximum == 7.ms)
  }

  @Test("names the worst callout by the moment at which it began")
  func worst() throws {
    loop.entry()
    let timer = TraceTimer(every: 100.ms, first: loop.now, on: loop)
    let moment = timer.due + 9.ms
    timer.fire(at: moment, taking: 2.ms)
    timer.fire(at: timer.due + 8.ms)
    let worst = try #require(timer.delta()?.worst)
    #expect(worst.lateness == 9.ms)
    #expect(worst.atNs == moment)
  }

  @Test("adds up to what is on the board, however often it is read")
  func prefixes() {
    loop.entry()
    let timer = TraceTimer(every: 10.ms, first: loop.now, on: loop)
    timer.fold.join(mode: TraceMode.default.rawValue)
    var (dropped, explained): (UInt64, UInt64) = (0, 0)
    for step in 0..<50 {
      loop.entry(in: .modal)
      loop.exit(step.ms, in: .modal)
      timer.fire(at: max(loop.now, timer.due))
      if let delta = timer.delta() {
        dropped += delta.dropped
        explained += delta.droppedByMode.reduce(0) { $0 + $1.count }
        #expect(explained <= dropped)
      }
      loop.beforeTimers(timer.due.since(loop.now))
    }
    #expect(dropped == timer.counters.dropped)
    #expect(dropped == timer.skipped)
    #expect(explained > 0)
  }

  @Test("reports what was dropped in a mode when that is known, and not before")
  func modeUnknown() throws {
    loop.entry()
    let timer = TraceTimer(every: 10.ms, first: loop.now, on: loop)
    timer.fold.join(mode: TraceMode.default.rawValue)
    loop.entry(in: .modal)
    loop.exit(95.ms, in: .modal)
    timer.fire(at: max(loop.now, timer.due))
    let early = try #require(timer.delta(modes: TraceMode.modal.rawValue))
    #expect(early.dropped > 0 && early.droppedByMode.isEmpty)
    let late = try #require(timer.delta())
    #expect(late.dropped == 0)
    #expect(late.droppedByMode.map(\.mode) == [TraceMode.modal.rawValue])
    #expect(late.droppedByMode.map(\.count) == [timer.counters.dropped])
    #expect(timer.delta() == nil)
  }

  @Test("is that of another timer when the memory is used again")
  func cleared() {
    loop.entry()
    let timer = TraceTimer(every: 10.ms, first: loop.now, on: loop)
    timer.fire(at: timer.due + 95.ms)
    timer.finish(at: loop.now + 1.s)
    timer.counters.clear()
    var reader = TimerReader(timer: TimerID(rawValue: 9), counters: timer.counters)
    #expect(reader.delta(at: 1.s, modes: TraceMode.allCases.count) == nil)
    #expect(timer.counters.endedNs == nil && timer.counters.modes == 0)
  }

  @Test("loses no late callout unsaid: what does not fit is counted, and there is room again afterwards")
  func fullQueue() {
    loop.entry()
    loop.beforeTimers()
    let timer = TraceTimer(every: 100.ms, first: loop.now, on: loop)
    for _ in 0..<3 {
      let lost = timer.fires.lost
      for _ in 0..<(SharedQueue<LateFire>.capacity + 5) { timer.fire(at: timer.due + 60.ms) }
      #expect(timer.fires.lost == lost + 5)
      var read = 0
      while timer.fires.pop() != nil { read += 1 }
      #expect(read == SharedQueue<LateFire>.capacity)
    }
  }
}
