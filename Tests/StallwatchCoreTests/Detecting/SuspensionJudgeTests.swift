import StallwatchCore
import Testing

@Suite("The suspension judge")
struct SuspensionJudgeTests {
  private let judge = SuspensionJudge()

  @Test("excludes the time since the last sign of life of a process that was stopped")
  func stopped() {
    #expect(judge.excluded(lastAlive: 1.s, planned: 2.s, woke: 5.s, runDelay: 1.ms) == 1.s..<5.s)
    #expect(judge.excluded(lastAlive: 1.s, planned: 2.s, woke: 5.s, runDelay: nil) == 1.s..<5.s)
  }

  @Test("leaves a process that got no processor to its stall")
  func starved() {
    #expect(judge.excluded(lastAlive: 1.s, planned: 2.s, woke: 5.s, runDelay: 3.s) == nil)
    #expect(judge.excluded(lastAlive: 1.s, planned: 2.s, woke: 4.s, runDelay: 1.s) == nil, "half of it is enough")
    #expect(judge.excluded(lastAlive: 1.s, planned: 2.s, woke: 4.s, runDelay: 1.s - 1) == 1.s..<4.s)
  }

  @Test("says nothing about a sleep that ended in time, early, or a little late")
  func onTime() {
    let bound = SuspensionJudge.minimumLateness
    #expect(judge.excluded(lastAlive: 1.s, planned: 2.s, woke: 2.s, runDelay: 0) == nil)
    #expect(judge.excluded(lastAlive: 1.s, planned: 2.s, woke: 1.s + 1, runDelay: 0) == nil)
    #expect(judge.excluded(lastAlive: 1.s, planned: 2.s, woke: 2.s + bound - 1, runDelay: 0) == nil)
    #expect(judge.excluded(lastAlive: 1.s, planned: 2.s, woke: 2.s + bound, runDelay: 0) == 1.s..<2.s + bound)
  }

  @Test("excludes nothing when a loop was seen alive at the waking itself")
  func aliveAtWaking() {
    #expect(judge.excluded(lastAlive: 5.s, planned: 2.s, woke: 5.s, runDelay: 0) == nil)
  }
}
