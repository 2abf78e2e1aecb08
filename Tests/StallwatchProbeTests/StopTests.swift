import Dispatch
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
}
