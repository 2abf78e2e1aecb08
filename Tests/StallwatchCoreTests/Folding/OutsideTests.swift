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
    loop.exit(in: .tracking)
    loop.entry(70.ms)
    let spell = try #require(loop.spells(.outside).first)
    #expect(loop.spells(.outside).count == 2, "what is shorter is nobody's waiting")
    let modes = [TraceMode.default, .tracking].map { UInt16($0.rawValue) }
    #expect(loop.spells(.outside).map(\.mode) == modes, "the mode that the thread left")
    #expect((spell.start, spell.end, spell.own, spell.depth) == (left, left + 3.s, 3.s, 0))
    #expect(loop.charged == 2.ms, "it is no sample of any phase")
  }
}
