import Testing

@testable import StallwatchProbe

/// Chains of contexts in memory as the tests write it.
@Suite struct AwaitingFunctionsTests {
  private static let layout = TaskLayout(code: 0x9000..<0xa000, metadata: 0x7770, taskSize: 0xd0)
  /// In the runtime: a task's end, and where tasks wait.
  private let end: UInt64 = 0x9100
  private let wait: UInt64 = 0x9200
  private var memory: [UInt64: UInt64] = [:]
  private var code: Set<UInt64> = [0x9100]

  /// Makes a context whose function is awaited by one that goes on at `function`.
  private mutating func context(_ address: UInt64, callers: UInt64, function: UInt64) {
    (memory[address], memory[address + 8]) = (callers, function)
    code.insert(function)
  }

  /// Makes the task of an outermost context. `rest`: what follows the words of all tasks.
  private mutating func task(_ address: UInt64, flags: UInt64, rest: [UInt64]) {
    (memory[address], memory[address + 0x20]) = (0x7770, flags)
    for (place, word) in rest.enumerated() { memory[address + 0xd0 + UInt64(place) * 8] = word }
  }

  private func find(_ context: UInt64) -> AwaitingFunctions.Chain {
    AwaitingFunctions(layout: Self.layout, word: { memory[$0] }, isFunction: code.contains).find(from: context)
  }

  /// Three functions that await the one with context 0x1000, in a task of its own.
  private mutating func makeThree() {
    context(0x1000, callers: 0x1100, function: 0x501)
    context(0x1100, callers: 0x1200, function: 0x502)
    context(0x1200, callers: 0x1800, function: 0x503)
    context(0x1800, callers: 0, function: end)
  }

  @Test mutating func theyAreAllThatLeadToTheTasksEndInnermostFirst() {
    makeThree()
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503], isWhole: true))
    #expect(find(0x1200) == .init(functions: [0x503], isWhole: true))
    #expect(find(0x1800) == .init(functions: [], isWhole: true))
  }

  @Test mutating func theTaskThatWaitsForTheResultGoesOn() {
    makeThree()
    task(0x1800 - 0x110, flags: 1 << 25, rest: [0x2000])
    task(0x2000, flags: 0x1500, rest: [])
    (memory[0x2038], memory[0x2040]) = (wait, 0x3000)
    context(0x3000, callers: 0x3100, function: 0x601)
    context(0x3100, callers: 0, function: end)
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503, 0x601], isWhole: true))
    // One that no longer waits in the runtime may run by now.
    memory[0x2038] = 0x501
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503], isWhole: false))
    // The result is there: the pointer's low bits say so.
    memory[0x1800 - 0x110 + 0xd0] = 0x2001
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503], isWhole: true))
  }

  @Test mutating func aTaskOfAGroupIsAwaitedByItsParentWhileThatWaitsForTheGroup() {
    makeThree()
    task(0x1800 - 0x130, flags: 7 << 24, rest: [0x2000, 0, 0x4000, 0])
    task(0x2000, flags: 1 << 25, rest: [])
    (memory[0x2038], memory[0x2040]) = (wait, 0x3000)
    context(0x3000, callers: 0x3100, function: 0x601)
    context(0x3100, callers: 0, function: end)
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503], isWhole: true))
    memory[0x4058] = 0x2000
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503, 0x601], isWhole: true))
  }

  @Test mutating func anAsyncLetIsAwaitedByWhoWaitsForItNotByItsParent() {
    makeThree()
    task(0x1800 - 0x120, flags: 3 << 24, rest: [0x2000, 0, 0])
    task(0x2000, flags: 1 << 25, rest: [])
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503], isWhole: true))
  }

  @Test mutating func tasksThatAwaitEachOtherEnd() {
    makeThree()
    task(0x1800 - 0x110, flags: 1 << 25, rest: [0x2000])
    task(0x2000, flags: 0, rest: [])
    (memory[0x2038], memory[0x2040]) = (wait, 0x1000)
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503], isWhole: false))
  }

  @Test mutating func aLoopEnds() {
    makeThree()
    memory[0x1200] = 0x1000
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503], isWhole: false))
    memory[0x1000] = 0x1000
    #expect(find(0x1000) == .init(functions: [0x501], isWhole: false))
  }

  @Test mutating func whatCannotBeReadEndsIt() {
    makeThree()
    memory[0x1208] = nil
    #expect(find(0x1000) == .init(functions: [0x501, 0x502], isWhole: false))
    memory[0x1000] = nil
    #expect(find(0x1000) == .init(functions: [], isWhole: false))
    #expect(find(0) == .init(functions: [], isWhole: false))
  }

  @Test mutating func whatIsNoFunctionOrLiesAskewEndsIt() {
    makeThree()
    code.remove(0x502)
    #expect(find(0x1000) == .init(functions: [0x501], isWhole: false))
    code.insert(0x502)
    memory[0x1100] = 0x1208
    (memory[0x1208], memory[0x1210]) = (0x1800, 0x503)
    #expect(find(0x1000) == .init(functions: [0x501, 0x502], isWhole: false))
  }

  @Test mutating func onlyTheRuntimeEndsATask() {
    makeThree()
    memory[0x1808] = 0x501
    #expect(find(0x1000) == .init(functions: [0x501, 0x502, 0x503], isWhole: false))
  }

  @Test mutating func aChainOfAnyLengthIsFollowedSoFarOnly() {
    for place in 0..<10_000 as Range<UInt64> {
      context(0x10000 + place * 16, callers: 0x10010 + place * 16, function: 0x501)
    }
    let chain = find(0x10000)
    #expect(chain.functions.count == AwaitingFunctions.mostContexts && !chain.isWhole)
  }
}
