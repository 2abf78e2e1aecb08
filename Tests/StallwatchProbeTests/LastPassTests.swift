import Foundation
import StallwatchCore
import StallwatchProbe
import Synchronization
import Testing

/// What a probe says of loops that are held when it is stopped.
@Suite("A probe's last pass", .serialized)
struct LastPassTests {
  @Test("excludes nothing when it is stopped before it has looked once, and nothing of a stall that lasts to the end")
  func endings() throws {
    for hold: UInt32 in [0, 200_000] {
      let recorder = MemoryRecorder()
      var configuration = ProbeConfiguration()
      configuration.usesHooks = false
      let probe = try Probe(configuration: configuration, recorder: recorder)
      TestLoop.run {
        probe.watchCurrentLoop(name: "under test")
        #expect(throws: Never.self) { try probe.start() }
        if hold > 0 {
          TestLoop.turn(for: 0.1)
          TestLoop.callout {
            usleep(hold)
            probe.stop()
          }
        }
        probe.stop()
      }
      #expect(recorder.intervals.filter { $0.kind == .excluded }.isEmpty)
      let longest = recorder.stalls.map(\.ended.duration).max() ?? 0
      #expect(longest >= Nanoseconds(hold) * 1_000, "all of it")
    }
  }

  @Test("has a stall that lasts to the end last until it was stopped, however late the watchdog learns of that")
  func heldUntilStopped() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let probe = try Probe(configuration: configuration, recorder: recorder)
    let (isAsked, isStopping) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let wentOn = Mutex<Nanoseconds>(0)
    // The watchdog asks when the stall begins, and gets its answer long after it was stopped.
    try probe.start(annotations: {
      isAsked.signal()
      isStopping.wait()
      sleep(1)
      wentOn.withLock { $0 = Probe.now() }
      return [:]
    })
    TestLoop.run {
      probe.watchCurrentLoop(name: "under test")
      TestLoop.callout {
        isAsked.wait()
        isStopping.signal()
        probe.stop()
      }
    }
    let stall = try #require(recorder.stalls.first)
    #expect(stall.began.startedNs + stall.ended.duration < wentOn.withLock { $0 })
  }
}
