import StallwatchCore
import Testing

@Suite("The division of watched time")
struct ThreadTimesTests {
  private func cause(watched: UInt64, cpu: UInt64, runDelay: UInt64) -> StallCause {
    StallCause(
      from: ThreadTimes(atNs: 1_000, cpu: 77, runDelay: 5),
      to: ThreadTimes(atNs: 1_000 + watched, cpu: 77 + cpu, runDelay: 5 + runDelay))
  }

  @Test("calls blocked what is neither CPU time nor run delay")
  func remainder() {
    #expect(cause(watched: 100, cpu: 30, runDelay: 20) == StallCause(running: 30, blocked: 50, starved: 20))
  }

  @Test("never gives more CPU time than was watched")
  func tooMuchCPU() {
    #expect(cause(watched: 100, cpu: 103, runDelay: 20) == StallCause(running: 100, blocked: 0, starved: 0))
  }

  @Test("never gives more run delay than CPU time has left")
  func tooMuchDelay() {
    #expect(cause(watched: 100, cpu: 60, runDelay: 70) == StallCause(running: 60, blocked: 0, starved: 40))
  }

  @Test("divides nothing when the clocks go backwards")
  func backwards() {
    let later = ThreadTimes(atNs: 2_000, cpu: 900, runDelay: 90)
    let sooner = ThreadTimes(atNs: 1_000, cpu: 100, runDelay: 10)
    #expect(StallCause(from: later, to: sooner).watched == 0)
    #expect(StallCause(from: later, to: ThreadTimes(atNs: 2_050, cpu: 0, runDelay: 0)).blocked == 50)
  }

  @Test("adds up to the nanosecond for any readings")
  func sums() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<10_000 {
      let watched = UInt64.random(in: 0...1_000, using: &generator)
      let divided = cause(
        watched: watched, cpu: .random(in: 0...1_500, using: &generator),
        runDelay: .random(in: 0...1_500, using: &generator))
      #expect(divided.watched == watched)
      #expect(divided.running + divided.blocked + divided.starved == watched)
    }
  }
}
