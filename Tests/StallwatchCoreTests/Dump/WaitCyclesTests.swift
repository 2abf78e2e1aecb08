import Testing

@testable import StallwatchCore

@Suite struct WaitCyclesTests {
  private func thread(_ id: UInt64, waitsFor other: UInt64? = nil, isStill: Bool = true) -> DumpedThread {
    DumpedThread(id: id, waitsFor: other.map { ThreadLink(kind: .lock, thread: $0) }, isStill: isStill)
  }

  private func deadlocks(_ threads: [DumpedThread]) -> [[UInt64]] {
    ProcessDump(pid: 1, command: [], takenAt: 0, threads: threads).deadlocks.map { $0.map(\.id) }
  }

  @Test func aCircleOfThreadsIsADeadlock() {
    #expect(deadlocks([thread(1, waitsFor: 2), thread(2, waitsFor: 3), thread(3, waitsFor: 1)]) == [[1, 2, 3]])
  }

  @Test func whoWaitsForACircleIsNotPartOfIt() {
    #expect(deadlocks([thread(9, waitsFor: 1), thread(1, waitsFor: 2), thread(2, waitsFor: 1)]) == [[1, 2]])
  }

  @Test func aChainThatEndsIsNone() {
    #expect(deadlocks([thread(1, waitsFor: 2), thread(2, waitsFor: 3), thread(3)]) == [])
    #expect(deadlocks([thread(1, waitsFor: 77)]) == [])
  }

  @Test func aThreadThatWaitsForItselfIsOne() {
    #expect(deadlocks([thread(5, waitsFor: 5)]) == [[5]])
  }

  @Test func threadsThatRanMeanwhileProveNothing() {
    #expect(deadlocks([thread(1, waitsFor: 2), thread(2, waitsFor: 1, isStill: false)]) == [])
  }

  @Test func everyCircleIsThereOnce() {
    let two = [thread(1, waitsFor: 2), thread(2, waitsFor: 1), thread(3, waitsFor: 4), thread(4, waitsFor: 3)]
    #expect(deadlocks(two + [thread(5, waitsFor: 4), thread(6, waitsFor: 5)]) == [[1, 2], [3, 4]])
  }
}
