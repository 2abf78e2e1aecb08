import StallwatchCore
import Testing

/// What a watchdog that came late finds. It last ran at 10 s, and the kernel had counted nothing yet.
@Suite("The suspension judge")
struct SuspensionJudgeTests {
  /// Counts at a moment: a process that was stopped since 10 s unless `sleeper` is 1.
  private func signs(
    _ atNs: Nanoseconds, cpu: Nanoseconds = 0, delay: Nanoseconds? = 0, sleeper: Nanoseconds? = 2,
    held: Nanoseconds = 0
  ) -> LifeSigns {
    LifeSigns(atNs: atNs, cpu: cpu, runDelay: delay, sleeperCPU: sleeper, held: [7: held])
  }

  private func judge() -> SuspensionJudge { SuspensionJudge(from: signs(10.s, sleeper: 1), threshold: 50.ms) }

  private func excluded(
    due: Nanoseconds, _ signs: LifeSigns, _ activities: [Nanoseconds] = []
  ) -> Range<Nanoseconds>? {
    var judge = judge()
    return judge.excluded(due: due, until: signs, activities: activities)
  }

  // MARK: What is no stop

  @Test("excludes nothing without the one sign of a stop, whatever made the watchdog late")
  func noStop() {
    #expect(
      excluded(due: 10.s, signs(15.s, sleeper: 1)) == nil, "a long look, a lock, a page fault, a steal")
    #expect(excluded(due: 10.s, signs(15.s, delay: 5.s, sleeper: 1)) == nil, "a starved process")
    #expect(excluded(due: 10.s, signs(15.s, cpu: 5.s, sleeper: 1)) == nil, "a flush of everything")
    #expect(excluded(due: 12.s, signs(15.s, sleeper: 1, held: 5.s), [11.s, 14.s]) == nil, "a busy process")
    #expect(excluded(due: 10.s, signs(15.s, sleeper: nil)) == nil, "a system without such a sign")
  }

  @Test("excludes nothing where the system keeps no run delay: it could have been that")
  func unknownRunDelay() {
    #expect(excluded(due: 10.s, signs(15.s, delay: nil)) == nil)
    var judge = SuspensionJudge(from: signs(10.s, delay: nil, sleeper: 1), threshold: 50.ms)
    #expect(judge.excluded(due: 10.s, until: signs(15.s), activities: []) == nil)
  }

  @Test("knows of nothing before it began")
  func neverSlept() {
    let judge = judge()
    #expect(judge.aliveNs == 10.s)
    #expect(!judge.isLate(due: 0, at: 10.s + 1.ms))
    #expect(excluded(due: 0, signs(10.s + 33.ms)) == 10.s..<10.s + 33.ms, "what was stopped since counts")
  }

  @Test("does not blame a stop for what comes after it")
  func afterASleep() {
    var judge = judge()
    judge.woke(at: 12.s, sleeperCPU: 2)
    #expect(!judge.isLate(due: 0, at: 12.s + 1.ms), "the last pass follows the last sleep at once")
    #expect(judge.excluded(due: 0, until: signs(12.s + 40.ms), activities: []) == nil, "that stop was over at 12 s")
    #expect(judge.aliveNs == 12.s + 40.ms)
    #expect(judge.excluded(due: 0, until: signs(13.s, sleeper: 3), activities: []) == 12.s + 40.ms..<13.s)
  }

  @Test("asks only when the watchdog is late")
  func lateness() {
    let bound = SuspensionJudge.minimumLateness
    var judge = judge()
    #expect(!judge.isLate(due: 12.s, at: 12.s + bound - 1))
    #expect(judge.isLate(due: 12.s, at: 12.s + bound))
    #expect(!judge.isLate(due: 12.s, at: 11.s), "woken early")
    #expect(judge.isLate(due: 0, at: 10.s + bound), "it did not mean to rest")
    judge.ran(at: 11.s)
    #expect(!judge.isLate(due: 0, at: 11.s + bound - 1))
    #expect(excluded(due: 12.s, signs(12.s + bound - 1)) == nil)
  }

  // MARK: How much of it

  @Test("takes what a processor was waited for, and what was computed, from a stop")
  func accounted() {
    #expect(excluded(due: 10.s, signs(15.s, delay: 1.s)) == 10.s..<14.s)
    #expect(excluded(due: 10.s, signs(15.s, cpu: 2.s)) == 12.s..<15.s)
    #expect(excluded(due: 10.s, signs(15.s, cpu: 2.s, delay: 1.s)) == 12.s..<14.s)
    #expect(excluded(due: 10.s, signs(15.s, delay: 5.s)) == nil, "a stop of a moment in a starved process")
  }

  @Test("has a stop begin half way between the last sign of life and the moment it was missed, and not long before")
  func prelude() {
    #expect(excluded(due: 10.s + 40.ms, signs(11.s)) == 10.s + 20.ms..<11.s)
    #expect(excluded(due: 10.s + 40.ms, signs(11.s), [10.s + 30.ms]) == 10.s + 35.ms..<11.s, "a loop turned")
    #expect(excluded(due: 13.s, signs(14.s)) == 13.s - 25.ms..<14.s, "parked until a tick")
    #expect(excluded(due: 10.s, signs(11.s)) == 10.s..<11.s)
  }

  @Test("leaves the time in which a held loop computed")
  func held() {
    #expect(excluded(due: 10.s + 50.ms, signs(11.s, held: 45.ms)) == 10.s + 45.ms..<11.s)
    #expect(excluded(due: 10.s + 50.ms, signs(11.s, held: 900.ms)) == 10.s + 900.ms..<11.s)
    #expect(excluded(due: 10.s + 50.ms, signs(11.s, held: 1.s)) == nil)
  }

  @Test("leaves what lies beyond an activity of a loop")
  func activity() {
    #expect(
      excluded(due: 12.s, signs(15.s, delay: 1.s), [14.s]) == 12.s - 25.ms..<14.s,
      "it ran again before the watchdog did")
    #expect(excluded(due: 12.s, signs(15.s, delay: 2_900.ms), [14.s + 900.ms, 12.s]) == 14.s + 800.ms..<14.s + 900.ms)
    #expect(excluded(due: 12.s, signs(15.s), [9.s, 15.s]) == 12.s - 25.ms..<15.s, "neither is of this time")
  }

  @Test("takes the longer of two stops in one sleep")
  func twoStops() {
    #expect(excluded(due: 10.s + 20.ms, signs(11.s), [10.s + 300.ms]) == 10.s + 300.ms..<11.s)
  }
}
