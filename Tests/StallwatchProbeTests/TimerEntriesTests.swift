import CoreFoundation
import StallwatchCore
import Testing

@testable import StallwatchProbe

/// What is kept of timers that come and go. Counts, no times.
@Suite("The ledger's entries of short timers", .serialized)
struct TimerEntriesTests {
  /// Makes as many timers one after the other on a thread of its own, each of which ends at its first fire, and returns the
  /// numbers of the entries that they were reported under. All within one flush of the figures.
  private func entries(ofTimers count: Int, atOneTime: Int) throws -> (entries: Int, fired: UInt64) {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.flushInterval = 3_600 * .second
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "worker"))
      for _ in 0..<count / atOneTime {
        let timers = (0..<atOneTime).compactMap { _ in
          CFRunLoopTimerCreateWithHandler(nil, 0, 0.001, 0, 0) { CFRunLoopTimerInvalidate($0) }
        }
        for timer in timers {
          CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
          #expect(probe.watch(timer, name: "short") == nil)
        }
        while timers.contains(where: CFRunLoopTimerIsValid) { _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, true) }
      }
    }
    probe.stop()
    let reported = recorder.records.compactMap { if case .timer(let timer) = $0 { timer.id } else { nil } }
    return (Set(reported).count, recorder.fired)
  }

  @Test("are one where 500 live one after the other, also between two flushes")
  func oneAfterTheOther() throws {
    let reported = try entries(ofTimers: 500, atOneTime: 1)
    #expect(reported.fired == 500)
    #expect(reported.entries == 1)
  }

  @Test("are as many as live at one time")
  func atOneTime() throws {
    let reported = try entries(ofTimers: 500, atOneTime: 5)
    #expect(reported.fired == 500)
    #expect(reported.entries == 5)
  }
}
