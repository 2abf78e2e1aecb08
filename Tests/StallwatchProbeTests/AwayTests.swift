import CoreFoundation
import Foundation
import StallwatchCore
import Synchronization
import Testing

@testable import StallwatchProbe

/// Threads that leave their loops. Waits for what the probe tells, and not for time.
@Suite("A thread away from its loop", .serialized)
struct AwayTests {
  private func watching(
    _ recorder: MemoryRecorder = MemoryRecorder(), _ body: @escaping @Sendable (MemoryRecorder) -> Void
  ) throws -> MemoryRecorder {
    try watchingWithProbe(recorder) { _ in body(recorder) }
  }

  private func watchingWithProbe(
    _ recorder: MemoryRecorder, _ body: @escaping @Sendable (Probe) -> Void
  ) throws -> MemoryRecorder {
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

  /// A repeating timer of the calling thread's loop, which has run since it was made.
  private static func timerThatRan() -> Timer {
    let timer = Timer(timeInterval: 0.01, repeats: true) { _ in }
    RunLoop.current.add(timer, forMode: .default)
    _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.03))
    return timer
  }

  @Test("is known while it goes on, with what it does, and ends exactly where it runs its loop again")
  func away() throws {
    let recorder = try watching { recorder in
      let timer = Self.timerThatRan()
      #expect(eventually { recorder.began.contains { $0.kind == .away } }, "known while it goes on")
      usleep(300_000)
      #expect(eventually { recorder.samples.contains { $0.samples.contains { $0.frames.count > 2 } } }, "looked at")
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.03))
      timer.invalidate()
      #expect(eventually { recorder.ended.contains { $0.reason == "a timer was due" } })
    }
    let began = try #require(recorder.began.first { $0.kind == .away })
    let ended = try #require(recorder.ended.first { $0.id == began.id })
    #expect(ended.state == .ended)
    #expect(ended.duration >= 300 * .millisecond)
    #expect((began.depth, recorder.modeName(began.loop, began.mode)) == (0, "kCFRunLoopDefaultMode"))
    let samples = try #require(recorder.samples.last { $0.stall == began.id })
    #expect(samples.samples.contains { $0.frames.count > 2 })
    #expect(samples.samples.allSatisfy { $0.atNs >= began.startedNs })
    #expect((samples.cause?.watched ?? 0) <= ended.duration)
  }

  @Test("has its whole time where the thread comes back in the middle of a look at it")
  func back() throws {
    let isLooking = Atomic<Bool>(false)
    let back = Atomic<Nanoseconds>(0)
    // The watchdog tells a mode after it has taken what the loop's thread set aside, and before it looks for aways.
    let recorder = MemoryRecorder { record in
      guard case .mode(let mode) = record, mode.name == "late" else { return }
      isLooking.store(true, ordering: .releasing)
      #expect(eventually { back.load(ordering: .acquiring) != 0 })
    }
    _ = try watching(recorder) { recorder in
      let timer = Self.timerThatRan()
      #expect(eventually { recorder.began.contains { $0.kind == .away } })
      usleep(100_000)
      RunLoop.current.add(timer, forMode: RunLoop.Mode("late"))
      #expect(eventually { isLooking.load(ordering: .acquiring) })
      usleep(100_000)
      let now = Platform.now()
      _ = TestLoop.turn(until: {
        back.store(now, ordering: .releasing)
        return recorder.ended.contains { $0.reason == "a timer was due" }
      })
      timer.invalidate()
    }
    let began = try #require(recorder.began.first { $0.kind == .away })
    let ended = try #require(recorder.ended.first { $0.id == began.id })
    #expect(began.startedNs + ended.duration + clockError >= back.load(ordering: .relaxed))
  }

  /// The watchdog may have no processor until the thread is back, or until its timer has fired as well.
  @Test(
    "is found afterwards where the watchdog had no time to look, by the timer that it made late", arguments: [0, 0.05])
  func unseen(turning seconds: Double) throws {
    let isHeldUp = Atomic<Bool>(false)
    let isBack = Atomic<Bool>(false)
    let recorder = MemoryRecorder { record in
      guard case .mode(let mode) = record, mode.name == "late" else { return }
      isHeldUp.store(true, ordering: .releasing)
      #expect(eventually { isBack.load(ordering: .acquiring) })
    }
    _ = try watchingWithProbe(recorder) { probe in
      // Without hooks the ledger has the timers that have a name.
      let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 0.01, 0.01, 0, 0) { _ in }!
      CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
      #expect(probe.watch(timer, name: "due") == nil)
      TestLoop.turn(for: 0.03)
      CFRunLoopAddTimer(
        CFRunLoopGetCurrent(), timer, CFStringCreateWithCString(nil, "late", CFStringBuiltInEncodings.UTF8.rawValue))
      TestLoop.turn(until: { isHeldUp.load(ordering: .acquiring) })
      usleep(150_000)
      if seconds > 0 { TestLoop.turn(for: seconds) }
      TestLoop.turn(until: {
        isBack.store(true, ordering: .releasing)
        return recorder.ended.contains { $0.reason == "a timer was due" }
      })
      CFRunLoopTimerInvalidate(timer)
    }
    let began = try #require(recorder.began.first { $0.kind == .away })
    let ended = try #require(recorder.ended.first { $0.id == began.id })
    #expect(ended.state == .ended)
    #expect(ended.duration >= 120 * .millisecond, "the timer is due each 10 ms")
    #expect(recorder.modeName(began.loop, began.mode) == "kCFRunLoopDefaultMode")
  }

  @Test("is no away where nothing is due, and ends where nothing is due any more")
  func nothingDue() throws {
    let recorder = try watching { recorder in
      let timer = Self.timerThatRan()
      #expect(eventually { recorder.began.contains { $0.kind == .away } })
      timer.invalidate()
      #expect(eventually { recorder.ended.contains { $0.reason == "a timer was due" } }, "although it stays away")
      usleep(300_000)
      Self.timerThatRan().invalidate()
    }
    #expect(recorder.began.count { $0.kind == .away } == 1)
  }

  @Test("is none where the thread has simply ended its work")
  func endedThread() throws {
    let recorder = try watching { recorder in
      _ = Self.timerThatRan()
      #expect(eventually { recorder.began.contains { $0.kind == .away } })
    }
    let began = try #require(recorder.began.first { $0.kind == .away })
    let ended = try #require(recorder.ended.first { $0.id == began.id })
    // Either the watchdog saw the thread's end, or watching stopped before.
    #expect(ended.state == .cancelled ? ended.reason == "its thread has ended" : ended.reason == "a timer was due")
  }
}
