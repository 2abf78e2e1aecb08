import StallwatchCore
import Testing

@Suite("A storm")
struct StormTests {
  @Test("of ten million short iterations is counted to the last, with nothing set aside or lost")
  func storm() {
    let loop = TraceLoop()
    loop.drains = false
    let rounds: UInt64 = 10_000_000
    loop.weather(rounds)

    let counters = loop.counters()
    #expect(counters.iterations == rounds)
    #expect(counters.count(of: .prepare) == rounds)
    #expect(counters.total(of: .prepare) == rounds * 300)
    #expect(counters.bucket(.prepare, HistogramLayout.index(of: 300)) == UInt32(rounds))
    #expect(counters.count(of: .sources) == rounds)
    #expect(counters.total(of: .sources) == rounds * 700)
    #expect(counters.count(of: .span) == rounds + 1)
    #expect(counters.total(of: .span) == rounds * 1_000)
    #expect(counters.maximum(of: .span) == 1_000)
    #expect(loop.queue.lost == 0)
    let spell = loop.queue.pop()
    #expect(spell?.kind == .busyRun, "it was congestion from end to end")
    #expect(spell?.own == rounds * 1_000)
    #expect(loop.queue.pop() == nil)
  }
}
