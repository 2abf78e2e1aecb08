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
    #expect(counters[.prepare].count == rounds)
    #expect(counters[.prepare].total == rounds * 300)
    #expect(counters[.prepare][HistogramLayout.index(of: 300)] == UInt32(rounds))
    #expect(counters[.sources].count == rounds)
    #expect(counters[.sources].total == rounds * 700)
    #expect(counters[.span].count == rounds + 1)
    #expect(counters[.span].total == rounds * 1_000)
    #expect(counters[.span].maximum == 1_000)
    #expect(loop.region.spells.lost == 0)
    let spell = loop.region.spells.pop()
    #expect(spell?.kind == .busyRun, "it was congestion from end to end")
    #expect(spell?.own == rounds * 1_000)
    #expect(loop.region.spells.pop() == nil)
  }
}
