import Foundation
import StallwatchCore
import StallwatchProbe
import Synchronization
import Testing

/// What a probe says of loops that are held when it is stopped.
@Suite("A probe's last pass", .serialized)
struct LastPassTests {
  /// Holds the watchdog up at the first loop's record.
  private struct Gate {
    let isWaiting = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)

    func recorder() -> MemoryRecorder {
      MemoryRecorder { [isWaiting, goesOn] record in
        guard case .loop = record else { return }
        isWaiting.signal()
        goesOn.wait()
      }
    }
  }

  /// A probe without hooks, which watches only the loops that it is given.
  private func probe(_ recorder: MemoryRecorder) throws -> Probe {
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    return try Probe(configuration: configuration, recorder: recorder)
  }

  @Test("excludes nothing when it is stopped before it has looked once, and nothing of a stall that lasts to the end")
  func endings() throws {
    for hold: UInt32 in [0, 200_000] {
      let recorder = MemoryRecorder()
      let probe = try probe(recorder)
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
      // Stopping has an end also where the watchdog is not done.
      let isWhole = eventually {
        recorder.stalls.map(\.ended.duration).max() ?? 0 >= Nanoseconds(hold) * 1_000
      }
      #expect(isWhole, "all of it")
      #expect(recorder.intervals.filter { $0.kind == .excluded }.isEmpty)
    }
  }

  @Test("reports a stall that lasts to the end also where the watchdog was too late to see it begin")
  func neverLooked() throws {
    let gate = Gate()
    let recorder = gate.recorder()
    let probe = try probe(recorder)
    try probe.start()
    TestLoop.run {
      probe.watchCurrentLoop(name: "under test")
      TestLoop.callout {
        gate.isWaiting.wait()
        usleep(200_000)
        // Let go when it has been told to stop, which waits for it.
        Thread.detachNewThread {
          usleep(100_000)
          gate.goesOn.signal()
        }
        probe.stop()
      }
    }
    #expect(eventually { !recorder.stalls.isEmpty })
    let stall = try #require(recorder.stalls.first)
    // A machine too busy for the watchdog may have had none of this process run for a while, which counts as no hold.
    let excluded = recorder.intervals.filter { $0.kind == .excluded }.reduce(0) { $0 + $1.duration }
    #expect(stall.ended.duration + excluded >= 200 * .millisecond)
  }

  @Test("takes a thread that left its loop after the stop for one that was in it")
  func leftAfterStop() throws {
    let gate = Gate()
    let recorder = gate.recorder()
    let probe = try probe(recorder)
    try probe.start()
    TestLoop.run {
      probe.watchCurrentLoop(name: "under test")
      TestLoop.turn(for: 0.1)
      gate.isWaiting.wait()
      let isStopped = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        probe.stop()
        isStopped.signal()
      }
      // Time for `stop` to begin. Where it has not begun by then, the test passes without proving anything.
      usleep(100_000)
      TestLoop.turn(for: 0.01)
      gate.goesOn.signal()
      isStopped.wait()
    }
    #expect(eventually { recorder.progress.contains { $0.endedNs != nil } })
    #expect(!recorder.began.contains { $0.kind == .away })
  }

  @Test("has a stall that lasts to the end last until it was stopped, however late the watchdog learns of that")
  func heldUntilStopped() throws {
    let recorder = MemoryRecorder()
    let probe = try probe(recorder)
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
