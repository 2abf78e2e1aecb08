import StallwatchCore
import Testing

@testable import StallwatchReport

@Suite struct CoveredTimeTests {
  @Test func piecesThatOverlapCountOnce() {
    var time = CoveredTime()
    time.add(from: 10, until: 20)
    time.add(from: 15, until: 18)
    time.add(from: 20, until: 30)
    time.add(from: 40, until: 50)
    #expect(time.covered(from: 0, until: 100) == 30)
    #expect(time.covered(from: 12, until: 45) == 23)
    #expect(time.covered(from: 30, until: 40) == 0)
    #expect(time.covered(from: 45, until: 12) == 0)
  }

  @Test func anyTimeCanBeCovered() {
    var time = CoveredTime()
    #expect(time.covered(from: 0, until: .max) == 0)
    for _ in 0..<3 { time.add(from: 0, until: .max) }
    #expect(time.covered(from: 0, until: .max) == .max)
    #expect(time.covered(from: .max - 1, until: .max) == 1)
  }
}
