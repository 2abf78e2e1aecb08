import StallwatchCore
import Testing

@Suite("Time outside any run")
struct OutsideTests {
  @Test("is set aside from the threshold on, with the moments at which the thread left and came back")
  func setAside() throws {
    let loop = TraceLoop()
    loop.entry()
    loop.exit(1.ms)
    loop.entry(50.ms - 1)
    let left = loop.now + 1.ms
    loop.exit(1.ms)
    loop.entry(3.s, in: .tracking)
    let spell = try #require(loop.spells(.outside).first)
    #expect(loop.spells(.outside).count == 1, "what is shorter is nobody's waiting")
    #expect((spell.start, spell.end, spell.own, spell.depth) == (left, left + 3.s, 3.s, 0))
    #expect(loop.charged == 2.ms, "it is no sample of any phase")
  }
}
