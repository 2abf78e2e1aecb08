import StallwatchCore
import Testing

@testable import StallwatchProbe

@Suite("The turns in which loops are asked to retire their counters")
struct RetirementTurnsTests {
  private static let loops = (1...100).map { LoopID(rawValue: $0) }

  @Test("ask each loop once in a whole flush's interval, and few at a time", arguments: [1, 7, 15, 20])
  func spread(milliseconds: UInt64) {
    let start = 5 * Nanoseconds.second
    var turns = RetirementTurns()
    turns.begin(at: start)
    var asked: [LoopID: Int] = [:]
    let end = start + 4 * ProbeConfiguration.wholeFlushInterval
    for now in stride(from: start, to: end, by: Int(milliseconds * .millisecond)) {
      turns.begin(at: now)
      let included = Self.loops.filter(turns.isTurn)
      #expect(included.count <= Self.loops.count / 6)
      for loop in included { asked[loop, default: 0] += 1 }
    }
    #expect(asked.count == Self.loops.count)
    #expect(asked.values.allSatisfy { (3...4).contains($0) })
  }

  @Test("ask all of them where flushes come seldom, and none where two come at one moment")
  func seldom() {
    var turns = RetirementTurns()
    for now in [1, 2, 30] as [Nanoseconds] {
      turns.begin(at: now * .second)
      #expect(Self.loops.allSatisfy(turns.isTurn))
      turns.begin(at: now * .second)
      #expect(!Self.loops.contains(where: turns.isTurn))
    }
  }
}
