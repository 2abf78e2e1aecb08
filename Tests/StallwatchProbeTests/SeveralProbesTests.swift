import CoreFoundation
import Foundation
import StallwatchCore
import Synchronization
import Testing

@testable import StallwatchProbe

/// What probes of one process have in common: loops, the ends of threads, signals, the guard of forks.
@Suite("Several probes of a process", .serialized, .takesTurns)
struct SeveralProbesTests {
  /// A loop that turns on a thread of its own until it is ended.
  private final class TurningLoop: @unchecked Sendable {
    private let isOver = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)
    // Written before the thread is waited for.
    private var loop: CFRunLoop!

    init() {
      let turns = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [self] in
        loop = CFRunLoopGetCurrent()
        let timer = CFRunLoopTimerCreateWithHandler(nil, 0, 0.001, 0, 0) { [self] timer in
          if isOver.load(ordering: .relaxed) { CFRunLoopTimerInvalidate(timer) }
        }!
        CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode)
        turns.signal()
        while CFRunLoopTimerIsValid(timer) { _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, false) }
        ended.signal()
      }
      turns.wait()
    }

    /// Does something on the loop's thread and returns when it is done.
    func perform(_ body: @escaping () -> Void) {
      let isDone = DispatchSemaphore(value: 0)
      CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) {
        body()
        isDone.signal()
      }
      CFRunLoopWakeUp(loop)
      isDone.wait()
    }

    /// Returns when the loop has ended.
    func end() {
      isOver.store(true, ordering: .relaxed)
      ended.wait()
    }
  }

  private func probe(_ recorder: MemoryRecorder) throws -> Probe {
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.threshold = 5 * .millisecond
    configuration.driftInterval = 10 * .millisecond
    return try Probe(configuration: configuration, recorder: recorder)
  }

  /// A probe's life: it watches a loop that others watch too, and one that is held and ends, before the probe or after.
  private func round(_ number: Int, on shared: TurningLoop) throws {
    let recorder = MemoryRecorder()
    let probe = try probe(recorder)
    try probe.start()
    shared.perform { probe.watchCurrentLoop(name: "shared") }
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      probe.watchCurrentLoop(name: "own")
      TestLoop.callout { usleep(number % 4 < 2 ? 10_000 : 500) }
      ended.signal()
    }
    if number % 2 == 0 { ended.wait() }
    probe.stop()
    if number % 2 == 1 { ended.wait() }
    // Stopping has an end also where the watchdog is not done.
    if number % 2 == 0 { #expect(eventually { recorder.loops.contains { $0.name == "own" } }) }
    #expect(Set(recorder.loops.map(\.name)).isSubset(of: ["shared", "own"]))
  }

  @Test("may come and go on four threads at once, 200 in all, while loops turn, are held and end")
  func comings() {
    let loops = [TurningLoop(), TurningLoop()]
    let ended = DispatchSemaphore(value: 0)
    for starter in 0..<4 {
      Thread.detachNewThread { [self] in
        for number in 0..<50 { #expect(throws: Never.self) { try round(number, on: loops[(starter + number) % 2]) } }
        ended.signal()
      }
    }
    for _ in 0..<4 { ended.wait() }
    for loop in loops { loop.end() }
  }
}
