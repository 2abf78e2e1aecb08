import Testing

@testable import StallwatchCore

@Suite("The spell queue")
struct SharedQueueTests {
  @Test("hands spells over in their order, around its end again and again")
  func order() {
    let loop = TraceLoop()
    loop.entry()
    for step in 1...(2 * SharedQueue<LongSpell>.capacity) { loop.beforeTimers(50.ms + Nanoseconds(step)) }

    #expect(loop.region.spells.lost == 0)
    let pushed = (1...(2 * SharedQueue<LongSpell>.capacity)).map { 50.ms + Nanoseconds($0) }
    #expect(loop.spells(.span).map(\.own) == pushed)
    #expect(loop.region.spells.pop() == nil)
  }

  @Test("that is full loses spells with a count, and the samples are counted all the same")
  func overflow() {
    let loop = TraceLoop()
    loop.drains = false
    loop.entry()
    loop.beforeTimers()
    loop.beforeSources()
    let rounds = 400
    for _ in 1...rounds {
      loop.beforeWaiting(60.ms)
      loop.afterWaiting(1.ms)
      loop.beforeTimers()
      loop.beforeSources()
    }
    let pushed = UInt64(3 * rounds)  // A phase, a gap and a span a round.
    let lost = pushed - UInt64(SharedQueue<LongSpell>.capacity)
    #expect(loop.region.spells.lost == lost)
    let counters = loop.counters()
    let counted = [Metric.sources, .gap, .span].reduce(0) { sum, metric in
      sum
        + (HistogramLayout.index(of: 60.ms)...HistogramLayout.index(of: 61.ms))
        .reduce(0) { $0 + UInt64(counters[metric][$1]) }
    }
    #expect(counted == lost)

    loop.drains = true
    loop.exit()
    #expect(loop.spells.count == SharedQueue<LongSpell>.capacity)
    #expect(loop.count(.sources) == UInt64(rounds) + 1)
    #expect(loop.total(.sources) == 60.ms * UInt64(rounds))
    #expect(loop.total(.gap) == 61.ms * UInt64(rounds))
    #expect(loop.total(.span) == 60.ms * UInt64(rounds))
  }

  @Test("is empty and has lost nothing once it is cleared")
  func clear() {
    let loop = TraceLoop()
    loop.drains = false
    loop.entry()
    for _ in 0...SharedQueue<LongSpell>.capacity { loop.beforeTimers(60.ms) }
    #expect(loop.region.spells.lost > 0)
    loop.region.clear()
    #expect(loop.region.spells.lost == 0)
    #expect(loop.region.spells.pop() == nil)
  }

  @Test("begins again at its first place once it is empty, so that memory backs as much as ever waited")
  func places() {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: LoopRegion.byteCount, alignment: 8)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    let spells = LoopRegion(memory: memory.baseAddress!).spells
    var number: UInt64 = 0
    func push() {
      number += 1
      spells.push(
        LongSpell(kind: .span, phase: .sources, depth: 1, mode: 0, start: number, end: number + 1, own: 1))
    }
    for _ in 0..<SharedQueue<LongSpell>.capacity {
      for _ in 0..<5 { push() }
      #expect(spells.pop()?.start == number - 4)
      for _ in 0..<3 { push() }
      #expect(spells.drain().map(\.start) == Array(number - 6...number))
    }
    #expect(memory[4_096...].allSatisfy { $0 == 0 })
  }
}
