import CStallwatch
import Foundation
import StallwatchCore
import Synchronization
import Testing

@testable import StallwatchProbe

/// A recorder that keeps whoever hands it a record, as a lock of the program's might.
private final class HeldRecorder: Recorder {
  private let isHeld = Atomic<Bool>(false)
  private let isOpen = DispatchSemaphore(value: 0)

  var holds: Bool { isHeld.load(ordering: .acquiring) }

  func take(_ record: Record) -> Bool {
    isHeld.store(true, ordering: .releasing)
    isOpen.wait()
    isOpen.signal()
    return true
  }

  func release() { isOpen.signal() }
}

@Suite("The end of watching", .serialized, .timeLimit(.minutes(5)))
struct StopTests {
  @Test("does not wait for ever for a watchdog that is held up, which then ends by itself")
  func patience() throws {
    let recorder = HeldRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      TestLoop.turn(until: { recorder.holds })
    }
    #expect(recorder.holds)
    let start = Platform.now()
    // Nobody lets go of the watchdog before this returns.
    probe.stop()
    #expect(Platform.now() - start >= Probe.stopPatience)
    recorder.release()
    #expect(eventually { probe.kept.loops == 0 })
  }

  #if os(Linux)
    /// The files in `/proc` that the monitor keeps open.
    private static func keptFiles() -> [String] {
      (stallwatch_least_kept_descriptor..<stallwatch_kept_descriptor_limit).compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }.filter { $0.hasPrefix("/proc/") }
    }

    @Test("closes the files that the watchdog has kept open, those on the held thread and those on its own")
    func files() async {
      // In a process of its own, because other tests' probes keep files, too.
      await #expect(processExitsWith: .success) {
        var configuration = ProbeConfiguration()
        configuration.usesHooks = false
        let probe = try Probe(configuration: configuration, recorder: MemoryRecorder())
        try probe.start()
        let wereOpen = Atomic<Bool>(false)
        TestLoop.run {
          let held = "/task/\(stallwatch_thread_id())/"
          probe.watchCurrentLoop(name: "held")
          TestLoop.callout {
            TestLoop.sleep(10_000) {
              let kept = Self.keptFiles()
              let isOpen =
                kept.contains { $0.contains(held) }
                && kept.contains { $0.hasSuffix("/schedstat") && !$0.contains(held) }
              wereOpen.store(isOpen, ordering: .relaxed)
              return isOpen
            }
          }
        }
        probe.stop()
        // Who keeps the stopped probe keeps no files.
        let areClosed = withExtendedLifetime(probe) { eventually { Self.keptFiles().isEmpty } }
        exit(wereOpen.load(ordering: .relaxed) && areClosed ? EXIT_SUCCESS : EXIT_FAILURE)
      }
    }
  #endif
}
