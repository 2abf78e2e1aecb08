import Foundation
import StallwatchCore
import StallwatchProbe
import Testing

/// Real loops, without hooks. Holds are several thresholds long and healthy pieces a small part of one.
@Suite("A probe without hooks", .serialized)
struct WatchingTests {
  private func watching(_ body: @escaping @Sendable (Probe) -> Void) throws -> MemoryRecorder {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      body(probe)
    }
    probe.stop()
    return recorder
  }

  @Test("finds a stall in a timer callout, while it goes on and with its exact end")
  func stall() throws {
    let recorder = try watching { _ in
      TestLoop.turn(for: 0.1)
      TestLoop.callout { usleep(200_000) }
      TestLoop.turn(for: 0.1)
    }
    let stall = try #require(recorder.stalls.max { $0.ended.duration < $1.ended.duration })
    #expect(stall.ended.duration >= 200 * .millisecond)
    #expect(stall.began.depth == 1)
    #expect(recorder.modeName(stall.began.loop, stall.began.mode) == "kCFRunLoopDefaultMode")
    #expect(stall.began.detectedNs < stall.began.startedNs + stall.ended.duration, "known while it went on")
    #expect(recorder.loops.map(\.name) == ["under test"])
  }

  @Test("samples a stall while it goes on: what the thread did, on what it was blocked, and for how long")
  func sampling() throws {
    let recorder = try watching { _ in
      TestLoop.turn(for: 0.1)
      TestLoop.callout { usleep(400_000) }
      TestLoop.turn(for: 0.1)
    }
    let stall = try #require(recorder.stalls.max { $0.ended.duration < $1.ended.duration })
    let told = recorder.samples.filter { $0.stall == stall.began.id }
    let last = try #require(told.last)
    #expect(told.count > 1, "told with the flushes while it went on")
    #expect(last.samples.count >= 5)
    let blocked = last.samples.filter { $0.activity == .blocked }
    #expect(blocked.count >= last.samples.count - 2)
    #expect(blocked.allSatisfy { $0.blockedOn?.target == "sleep" && $0.frames.count > 4 })
    #expect(last.samples.allSatisfy { $0.atNs >= stall.began.startedNs })
    let cause = try #require(last.cause)
    #expect(cause.blocked >= cause.watched / 2)
    #expect(last.samples.reduce(0) { $0 + $1.weight } <= stall.ended.duration)
    let images = recorder.images
    for frame in blocked.flatMap(\.frames) {
      #expect(images.contains { $0.start <= frame && frame < $0.end }, "every frame lies in an image that was told")
    }
  }

  @Test("charges all time between the first and the last activity to phases and to time outside")
  func accounting() throws {
    let recorder = try watching { _ in
      TestLoop.turn(for: 0.2)
      usleep(20_000)
      TestLoop.turn(for: 0.2)
      TestLoop.callout { usleep(120_000) }
    }
    let phases = [Metric.prepare, .sources, .waiting, .service].reduce(0) { $0 + recorder.total($1) }
    let outside = recorder.progress.reduce(0) { $0 + $1.outside }
    #expect(phases >= 500 * .millisecond)
    #expect(outside >= 20 * .millisecond)
    #expect(recorder.total(.gap) <= phases)
    #expect(recorder.deltas.reduce(0) { $0 + $1.iterations } >= 40)
    for delta in recorder.deltas.flatMap(\.metrics) {
      #expect(delta.count == delta.buckets.reduce(0) { $0 + UInt64($1.count) })
    }
  }

  @Test("attaches to a mode that is made and run after watching began, and tells the blind interval")
  func newMode() throws {
    let recorder = try watching { _ in
      TestLoop.turn(for: 0.3)
      TestLoop.callout {
        TestLoop.turn("made late", for: 0.5)
        TestLoop.callout(in: "made late") { usleep(200_000) }
        TestLoop.turn("made late", for: 0.1)
      }
      TestLoop.turn(for: 0.1)
    }
    #expect(recorder.modes.contains { $0.name == "made late" })
    let blind = try #require(recorder.intervals.first { $0.kind == .blind })
    #expect(blind.reason == "new-mode")
    let stalls = recorder.stalls.filter { $0.ended.duration >= 150 * .millisecond }
    #expect(stalls.count == 1)
    let stall = try #require(stalls.first)
    #expect(recorder.modeName(stall.began.loop, stall.began.mode) == "made late")
    #expect(stall.began.depth == 2)
  }

  @Test("attaches to a loop whose very first run is in a mode made late, and tells the blind interval")
  func newModeFirst() throws {
    let recorder = try watching { _ in
      // The watchdog has parked by now, on a busy machine too.
      usleep(600_000)
      TestLoop.turn("made late", for: 0.5)
      TestLoop.callout(in: "made late") { usleep(200_000) }
      TestLoop.turn("made late", for: 0.1)
    }
    let stalls = recorder.stalls.filter { $0.ended.duration >= 150 * .millisecond }
    #expect(stalls.count == 1)
    let stall = try #require(stalls.first)
    #expect(recorder.modeName(stall.began.loop, stall.began.mode) == "made late")
    #expect(recorder.intervals.contains { $0.kind == .blind && $0.reason == "new-mode" })
  }

  @Test("tells what it missed of runs in a new mode that came and went between two looks")
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
    let recorder = try watching { _ in
      let mode = "nested"
      TestLoop.turn(mode, for: 0.02)
      TestLoop.turn(for: 0.3)
      TestLoop.callout { TestLoop.turn(mode, for: 1) }
      TestLoop.turn(for: 0.1)
    }
    #expect(recorder.stalls.filter { $0.ended.duration >= 500 * .millisecond }.isEmpty)
    let loop = try #require(recorder.loops.first?.id)
    let outer = recorder.modes.first { $0.loop == loop && $0.name == "kCFRunLoopDefaultMode" }
    let starved = recorder.deltas.filter { $0.mode == outer?.index }.reduce(0) { $0 + $1.starved }
    #expect(starved >= 900 * .millisecond)
  }

  @Test("tells that a loop's thread has ended, and watches a later loop in the same memory")
  func threadEnd() throws {
    let recorder = MemoryRecorder()
    let probe = try Probe(configuration: ProbeConfiguration(), recorder: recorder)
    try probe.start()
    for number in 1...3 {
      TestLoop.run {
        #expect(probe.watchCurrentLoop(name: "worker \(number)"))
        TestLoop.turn(for: 0.05)
        TestLoop.callout { usleep(100_000) }
      }
      usleep(100_000)
    }
    probe.stop()
    #expect(recorder.loops.map(\.name) == ["worker 1", "worker 2", "worker 3"])
    #expect(recorder.progress.filter { $0.endedNs != nil }.count == 3)
    let long = recorder.stalls.filter { $0.ended.duration >= 100 * .millisecond }
    #expect(long.map(\.began.loop.rawValue) == [1, 2, 3])
  }

  @Test("counts the wait that is going on when watching stops")
  func lastWait() throws {
    let recorder = MemoryRecorder()
    let probe = try Probe(configuration: ProbeConfiguration(), recorder: recorder)
    try probe.start()
    let stopped = DispatchSemaphore(value: 0)
    Thread {
      usleep(1_000_000)
      probe.stop()
      stopped.signal()
    }.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      let timer = Timer(timeInterval: 3_600, repeats: true) { _ in }
      RunLoop.current.add(timer, forMode: .default)
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 1.5))
    }
    stopped.wait()
    #expect(recorder.total(.waiting) >= 500 * .millisecond)
  }

  @Test("lets the loop run on after stopping, with no observer left")
  func stopping() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
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
