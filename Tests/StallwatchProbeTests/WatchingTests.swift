import CoreFoundation
import Foundation
import StallwatchCore
import Synchronization
import Testing

@testable import StallwatchProbe

/// Real loops, without hooks. What was recorded is held against what the test measured itself: holds last until the probe
/// has seen them, and no time is asserted that a busy machine could miss.
@Suite("A probe without hooks", .serialized, .timeLimit(.minutes(5)))
struct WatchingTests {
  private func watching(
    _ recorder: MemoryRecorder = MemoryRecorder(), _ body: @escaping @Sendable (MemoryRecorder) -> Void
  ) throws -> MemoryRecorder {
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    // SIGPROF is others' to test.
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      body(recorder)
    }
    probe.stop()
    return recorder
  }

  @Test("finds a stall in a timer callout, while it goes on and with its exact end")
  func stall() throws {
    nonisolated(unsafe) var held = TestLoop.Stretch(start: 0, end: 0)
    let recorder = try watching { recorder in
      TestLoop.turn(for: 0.1)
      held = TestLoop.callout {
        let start = Platform.now()
        TestLoop.sleep(200_000) { recorder.began.contains { $0.detectedNs > start } }
      }
      TestLoop.turn(for: 0.1)
    }
    let stall = try #require(recorder.stall(in: held))
    #expect(stall.ended.duration + clockError >= held.duration)
    #expect(stall.began.depth == 1)
    #expect(recorder.modeName(stall.began.loop, stall.began.mode) == "kCFRunLoopDefaultMode")
    #expect(stall.began.detectedNs < stall.began.startedNs + stall.ended.duration, "known while it went on")
    #expect(recorder.loops.map(\.name) == ["under test"])
  }

  @Test("charges all time between the first and the last activity to phases and to time outside")
  func accounting() throws {
    nonisolated(unsafe) var turns: [TestLoop.Stretch] = []
    nonisolated(unsafe) var away = TestLoop.Stretch(start: 0, end: 0)
    nonisolated(unsafe) var held = TestLoop.Stretch(start: 0, end: 0)
    let start = Platform.now()
    let recorder = try watching { _ in
      turns.append(TestLoop.turn(for: 0.2))
      away.start = Platform.now()
      usleep(20_000)
      away.end = Platform.now()
      turns.append(TestLoop.turn(for: 0.2))
      held = TestLoop.callout { usleep(120_000) }
    }
    let whole = Platform.now() - start
    let phases = [Metric.prepare, .sources, .waiting, .service].reduce(0) { $0 + recorder.total($1) }
    let outside = recorder.progress.reduce(0) { $0 + $1.outside }
    // From the first callout on, which comes after the first activity.
    let unaccounted = recorder.intervals.reduce(0) { $0 + $1.duration }
    #expect(
      phases + outside + unaccounted + turns[0].longestGap + clockError >= held.end - turns[0].start,
      "\(recorder.intervals)")
    #expect(phases + outside <= whole + clockError)
    #expect(outside + clockError >= away.duration)
    #expect(recorder.total(.gap) <= phases)
    #expect(recorder.deltas.reduce(0) { $0 + $1.iterations } >= turns.reduce(0) { $0 + $1.callouts })
    for delta in recorder.deltas.flatMap(\.metrics) {
      #expect(delta.count == delta.buckets.reduce(0) { $0 + UInt64($1.count) })
    }
  }

  /// Turns a mode until the probe has found it, then holds the loop in a callout of it.
  private static func holdInNewMode(
    _ recorder: MemoryRecorder
  ) -> (turned: TestLoop.Stretch, held: TestLoop.Stretch, callouts: UInt64) {
    let turned = TestLoop.turn("made late") { recorder.modes.contains { $0.name == "made late" } }
    let held = TestLoop.callout(in: "made late") {
      let start = Platform.now()
      TestLoop.sleep(200_000) { recorder.began.contains { $0.detectedNs > start } }
    }
    let last = TestLoop.turn("made late", for: 0.1)
    return (turned, held, turned.callouts + 1 + last.callouts)
  }

  @Test("attaches to a mode that is made and run after watching began, and reports the blind interval")
  func newMode() throws {
    nonisolated(unsafe) var turned = TestLoop.Stretch(start: 0, end: 0)
    nonisolated(unsafe) var held = TestLoop.Stretch(start: 0, end: 0)
    let recorder = try watching { recorder in
      TestLoop.turn { !recorder.deltas.isEmpty }
      TestLoop.callout { (turned, held, _) = Self.holdInNewMode(recorder) }
      TestLoop.turn(for: 0.1)
    }
    let blind = try #require(recorder.intervals.first { $0.kind == .blind })
    #expect(blind.reason == "new-mode")
    let stall = try #require(recorder.stall(in: held))
    #expect(recorder.modeName(stall.began.loop, stall.began.mode) == "made late")
    #expect(stall.began.depth == 2)
    #expect(
      recorder.stalls.filter { $0.began.startedNs <= turned.start && $0.ended.duration >= turned.duration }.isEmpty)
  }

  @Test("attaches to a loop whose very first run is in a mode made late, and reports the blind interval")
  func newModeFirst() throws {
    nonisolated(unsafe) var held = TestLoop.Stretch(start: 0, end: 0)
    nonisolated(unsafe) var callouts: UInt64 = 0
    let recorder = try watching { recorder in
      // The watchdog has parked by now, if the machine lets it.
      usleep(600_000)
      (_, held, callouts) = Self.holdInNewMode(recorder)
    }
    let stall = try #require(recorder.stall(in: held))
    #expect(recorder.modeName(stall.began.loop, stall.began.mode) == "made late")
    // Where the thread loses its processor between the mode's making and its first run, the watchdog may be in time: then
    // no iteration went unseen.
    let iterations = recorder.deltas.filter { $0.mode == stall.began.mode }.reduce(0) { $0 + $1.iterations }
    #expect(iterations >= callouts || recorder.intervals.contains { $0.kind == .blind && $0.reason == "new-mode" })
  }

  @Test("takes a run in a new mode for no stall where the watchdog had no processor while it went on")
  func runInNewModeUnseen() throws {
    nonisolated(unsafe) var turned = TestLoop.Stretch(start: 0, end: 0)
    let keepsWaiting = Atomic<Bool>(false)
    let isWaiting = Atomic<Bool>(false)
    let recorder = try watching(
      MemoryRecorder { _ in
        guard keepsWaiting.load(ordering: .acquiring) else { return }
        isWaiting.store(true, ordering: .releasing)
        #expect(eventually { !keepsWaiting.load(ordering: .acquiring) })
      }
    ) { recorder in
      TestLoop.turn { !recorder.deltas.isEmpty }
      keepsWaiting.store(true, ordering: .releasing)
      TestLoop.turn { isWaiting.load(ordering: .acquiring) }
      TestLoop.callout { turned = TestLoop.turn("made unseen", for: 0.2) }
      keepsWaiting.store(false, ordering: .releasing)
      TestLoop.turn { recorder.intervals.contains { $0.kind == .blind } || !recorder.began.isEmpty }
    }
    let blind = recorder.intervals.filter { $0.kind == .blind && $0.startedNs <= turned.start }
    #expect(blind.contains { $0.endedNs + clockError >= turned.end }, "\(recorder.intervals)")
    #expect(
      recorder.stalls.filter { $0.began.startedNs <= turned.start && $0.ended.duration >= turned.duration }.isEmpty)
  }

  @Test("reports what it missed of a run in a new mode where watching ends before the watchdog had a processor")
  func runInNewModeUnseenToTheEnd() throws {
    nonisolated(unsafe) var turned = TestLoop.Stretch(start: 0, end: 0)
    let keepsWaiting = Atomic<Bool>(false)
    let isWaiting = Atomic<Bool>(false)
    let recorder = MemoryRecorder { _ in
      guard keepsWaiting.load(ordering: .acquiring) else { return }
      isWaiting.store(true, ordering: .releasing)
      #expect(eventually { !keepsWaiting.load(ordering: .acquiring) })
    }
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      TestLoop.turn { !recorder.deltas.isEmpty }
      keepsWaiting.store(true, ordering: .releasing)
      TestLoop.turn { isWaiting.load(ordering: .acquiring) }
      turned = TestLoop.turn("made unseen", for: 0.2)
      TestLoop.turn(for: 0.02)
      keepsWaiting.store(false, ordering: .releasing)
      // Of a thread that has ended nobody can ask for modes.
      probe.stop()
    }
    let mode = try #require(recorder.modes.first { $0.name == "made unseen" })
    #expect(
      recorder.intervals.contains {
        $0.kind == .blind && $0.loop == mode.loop && $0.startedNs <= turned.start
          && $0.endedNs + clockError >= turned.end
      }, "\(recorder.intervals)")
  }

  @Test("reports what it missed of runs in a new mode that came and went between two looks")
  func briefRunInNewMode() throws {
    let recorder = try watching { _ in
      TestLoop.turn(for: 0.2)
      TestLoop.turn("brief", for: 0.01)
      TestLoop.turn(for: 0.2)
    }
    let mode = try #require(recorder.modes.first { $0.name == "brief" })
    let entries = recorder.deltas.filter { $0.mode == mode.index }.reduce(0) { $0 + $1.entries }
    // Attached in time only if the watchdog looked between the mode's making and its run.
    #expect(entries > 0 || recorder.intervals.contains { $0.kind == .blind && $0.loop == mode.loop })
  }

  @Test("reports no stall for a healthy nested run of many thresholds' length")
  func nestedRun() throws {
    nonisolated(unsafe) var nested = TestLoop.Stretch(start: 0, end: 0)
    let recorder = try watching { recorder in
      let mode = "nested"
      TestLoop.turn(mode, for: 0.02)
      TestLoop.turn { recorder.modes.contains { $0.name == mode } }
      TestLoop.callout { nested = TestLoop.turn(mode, for: 1) }
      TestLoop.turn(for: 0.1)
    }
    let unheld = max(nested.duration, 2 * nested.longestGap)
    #expect(recorder.stalls.filter { $0.ended.duration >= unheld && $0.began.startedNs < nested.end }.isEmpty)
    let loop = try #require(recorder.loops.first?.id)
    let outer = recorder.modes.first { $0.loop == loop && $0.name == "kCFRunLoopDefaultMode" }
    let starved = recorder.deltas.filter { $0.mode == outer?.index }.reduce(0) { $0 + $1.starved }
    // Until the run begins and after it ends, nothing but the thread's wait for a processor.
    #expect(starved + 2 * nested.longestGap + clockError >= nested.duration)
  }

  @Test("reports that a loop's thread has ended, and watches a later loop in the same memory")
  func threadEnd() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    var holds: [TestLoop.Stretch] = []
    for number in 1...3 {
      nonisolated(unsafe) var held = TestLoop.Stretch(start: 0, end: 0)
      TestLoop.run {
        #expect(probe.watchCurrentLoop(name: "worker \(number)"))
        TestLoop.turn(for: 0.05)
        held = TestLoop.callout { usleep(100_000) }
      }
      holds.append(held)
      let seen = eventually { recorder.progress.filter { $0.endedNs != nil }.count == number }
      #expect(seen, "the end of worker \(number)")
    }
    probe.stop()
    #expect(recorder.loops.map(\.name) == ["worker 1", "worker 2", "worker 3"])
    #expect(recorder.progress.filter { $0.endedNs != nil }.count == 3)
    #expect(holds.map { recorder.stall(in: $0)?.began.loop.rawValue } == [1, 2, 3])
  }

  @Test("counts the wait that is going on when watching stops")
  func lastWait() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    let waits = DispatchSemaphore(value: 0)
    let stopped = DispatchSemaphore(value: 0)
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      let loop = CFRunLoopGetCurrent()!
      nonisolated(unsafe) let shared = loop
      Thread {
        waits.wait()
        usleep(1_000_000)
        probe.stop()
        CFRunLoopStop(shared)
        stopped.signal()
      }.start()
      let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.beforeWaiting.rawValue, false, 0) {
        _, _ in
        waits.signal()
      }
      CFRunLoopAddObserver(loop, observer, kCFRunLoopDefaultMode)
      let timer = Timer(timeInterval: 3_600, repeats: true) { _ in }
      RunLoop.current.add(timer, forMode: .default)
      CFRunLoopRunInMode(kCFRunLoopDefaultMode, TestLoop.patience, false)
      stopped.wait()
    }
    // One second, but for what the loop's thread waited for a processor before it waited.
    #expect(recorder.total(.waiting) >= 500 * .millisecond)
  }

  @Test("lets the loop run on after stopping, with no observer left")
  func stopping() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      TestLoop.turn(for: 0.05)
      probe.stop()
      let before = recorder.records.count
      TestLoop.turn(for: 0.05)
      TestLoop.callout { usleep(100_000) }
      #expect(recorder.records.count == before)
    }
    probe.stop()
    #expect(throws: ProbeError.usedBefore) { try probe.start() }
  }
}
