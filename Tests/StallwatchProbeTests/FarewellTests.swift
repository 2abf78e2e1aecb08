import Foundation
import StallwatchCore
import Synchronization
import Testing

@testable import StallwatchProbe

/// What is said to a watchdog before the process ends. No probe of these tests listens: they have no hooks.
@Suite("A farewell", .serialized)
struct FarewellTests {
  /// Says it on another thread and returns once it is said; the semaphore tells when that thread has gone on.
  private func say() -> DispatchSemaphore {
    let before = Farewell.unanswered
    let goesOn = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      Farewell.say(.end)
      goesOn.signal()
    }
    #expect(eventually { Farewell.unanswered != before })
    return goesOn
  }

  @Test("is not answered by a watchdog that comes after the one it was said to")
  func later() throws {
    let (first, second) = (try #require(Parker()), try #require(Parker()))
    Farewell.beHeard(at: first)
    let goesOn = say()
    Farewell.beUnheard(at: first)
    goesOn.wait()
    #expect(Farewell.unanswered != nil, "the first has ended without a word")
    Farewell.beHeard(at: second)
    defer { Farewell.beUnheard(at: second) }
    #expect(Farewell.unanswered == nil)
  }

  @Test("goes to the watchdog that listens, also where one that does not is taken back")
  func others() throws {
    let (first, second) = (try #require(Parker()), try #require(Parker()))
    Farewell.beHeard(at: first)
    Farewell.beHeard(at: second)
    Farewell.beUnheard(at: second)
    let goesOn = say()
    Farewell.answer(try #require(Farewell.unanswered))
    goesOn.wait()
    Farewell.beUnheard(at: first)
    Farewell.say(.end)
    #expect(Farewell.unanswered == nil, "nobody listens")
  }

  @Test("may be said on many threads while watchdogs come and go")
  func comings() throws {
    let parkers = try (0..<2).map { _ in try #require(Parker()) }
    let isOver = Shared(Atomic<Bool>(false))
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<4 {
      Thread.detachNewThread {
        while !isOver.value.load(ordering: .relaxed) { Farewell.say(.end) }
        ended.signal()
      }
    }
    for round in 0..<200 {
      let parker = parkers[round % 2]
      Farewell.beHeard(at: parker)
      #expect(eventually { Farewell.unanswered.map(Farewell.answer) != nil }, "said to whoever listens")
      Farewell.beUnheard(at: parker)
    }
    isOver.value.store(true, ordering: .relaxed)
    for _ in 0..<4 { ended.wait() }
  }
}
