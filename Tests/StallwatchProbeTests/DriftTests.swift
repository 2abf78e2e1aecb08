import CoreFoundation
import Foundation
import StallwatchCore
import StallwatchProbe
import Testing

/// Real loops under the drift probe. What must not change is compared with the probe off.
@Suite("The drift probe", .serialized, .timeLimit(.minutes(2)))
struct DriftTests {
  /// Watches the loop of a thread that runs `body`. Ticks are 20 ms apart unless told otherwise.
  private func watching(
    every interval: Nanoseconds? = 20 * .millisecond, modes: [String] = [], _ body: @escaping @Sendable () -> Void
  ) throws -> MemoryRecorder {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.driftInterval = interval
    // What the stalls did is nothing to these tests, and SIGPROF is others' to test.
    configuration.sampleInterval = nil
    configuration.driftModes = modes
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      body()
    }
    probe.stop()
    return recorder
  }

  private static func mode(_ name: String) -> CFRunLoopMode {
    CFStringCreateWithCString(nil, name, CFStringBuiltInEncodings.UTF8.rawValue)
  }

  /// Lets the calling thread's loop wait in a mode, with nothing to do.
  private static func wait(_ mode: CFRunLoopMode = kCFRunLoopDefaultMode, for seconds: Double) {
    let source = CallbackSource {}
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source.source, mode)
    _ = CFRunLoopRunInMode(mode, seconds, false)
    CFRunLoopRemoveSource(CFRunLoopGetCurrent(), source.source, mode)
  }

  @Test("wakes a loop that waits, and the GCD timer ticks beside it")
  func waiting() throws {
    let recorder = try watching { Self.wait(for: 1) }
    let ticks = recorder.ticks
    #expect(ticks.count >= 25)
    #expect(ticks.filter { $0.runLoopLateness != nil && $0.gcdLateness != nil }.count >= ticks.count / 2)
    #expect(Set(ticks.map(\.number)).count == ticks.count)
    let first = try #require(ticks.min { $0.number < $1.number })
    #expect(ticks.allSatisfy { $0.dueNs == first.dueNs + ($0.number - first.number) * 20 * .millisecond })
    let health = try #require(recorder.healths.last)
    #expect(health.driftWakeups >= 2 * UInt64(ticks.count / 2))
  }

  @Test("has a tick as late as the callout is long that it fell into, and the ticks after it dropped")
  func held() throws {
    let recorder = try watching {
      TestLoop.turn(for: 0.2)
      TestLoop.callout { usleep(400_000) }
      TestLoop.turn(for: 0.2)
    }
    let late = try #require(recorder.ticks.max { ($0.runLoopLateness ?? 0) < ($1.runLoopLateness ?? 0) })
    let lateness = try #require(late.runLoopLateness)
    let stall = try #require(recorder.stalls.max { $0.ended.duration < $1.ended.duration }).ended.duration
    #expect(lateness >= 380 * .millisecond)
    #expect(lateness <= stall + 50 * .millisecond)
    #expect(late.inOtherModes == 0)
    let dropped = recorder.ticks.filter { $0.number > late.number && $0.dueNs < late.dueNs + lateness }
    #expect(dropped.count >= 18)
    #expect(dropped.allSatisfy { $0.runLoopLateness == nil })
    #expect(dropped.contains { $0.gcdLateness != nil }, "the control went on")
  }

  @Test("blames the private mode that the loop ran in, and reports no stall")
  func otherMode() throws {
    let recorder = try watching {
      Self.wait(Self.mode("private"), for: 0.05)
      TestLoop.turn(for: 0.4)
      TestLoop.callout { TestLoop.turn("private", for: 0.5) }
      TestLoop.turn(for: 0.2)
    }
    let late = try #require(recorder.ticks.max { $0.inOtherModes < $1.inOtherModes })
    #expect(late.inOtherModes >= 450 * .millisecond)
    #expect(late.inOtherModes <= late.runLoopLateness ?? 0)
    #expect(recorder.stalls.filter { $0.ended.duration >= 400 * .millisecond }.isEmpty)
  }

  @Test("is in the modes that were chosen, and in those that become common")
  func modes() throws {
    let chosen = try watching(modes: ["private"]) {
      // Without hooks a mode is found some time after its first run has begun.
      TestLoop.turn("private", for: 0.3)
      Self.wait(Self.mode("private"), for: 1)
    }
    #expect(chosen.ticks.filter { $0.runLoopLateness != nil }.count >= 10)
    let common = try watching {
      let mode = Self.mode("made common")
      Self.wait(mode, for: 0.3)
      CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), mode)
      TestLoop.turn(for: 1.5)
      Self.wait(mode, for: 1)
    }
    let latest = common.ticks.suffix(20).compactMap(\.runLoopLateness)
    #expect(latest.filter { $0 < 200 * .millisecond }.count >= 10)
  }

  @Test("makes no run return: run(mode:before:) returns once for each source that was served")
  func returns() throws {
    for interval in [nil, 10 * Nanoseconds.millisecond] {
      let recorder = try watching(every: interval) {
        let returned = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var served = 0
        let source = CallbackSource { served += 1 }
        let loop = CFRunLoopGetCurrent()!
        CFRunLoopAddSource(loop, source.source, kCFRunLoopDefaultMode)
        nonisolated(unsafe) let shared = (source.source, loop)
        let thread = Thread {
          for _ in 0..<20 {
            usleep(40_000)
            CFRunLoopSourceSignal(shared.0)
            CFRunLoopWakeUp(shared.1)
            returned.wait()
          }
        }
        thread.start()
        for number in 1...20 {
          #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
          #expect(served == number)
          returned.signal()
        }
        CFRunLoopRemoveSource(loop, source.source, kCFRunLoopDefaultMode)
      }
      #expect(recorder.ticks.isEmpty == (interval == nil))
    }
  }

  @Test("keeps no loop alive: a loop whose last timer has ended ends")
  func ends() throws {
    for interval in [nil, 10 * Nanoseconds.millisecond] {
      let recorder = try watching(every: interval) {
        nonisolated(unsafe) var fires = 0
        let timer = Timer(timeInterval: 0.05, repeats: true) { timer in
          fires += 1
          if fires == 6 { timer.invalidate() }
        }
        RunLoop.current.add(timer, forMode: .default)
        RunLoop.current.run()
        #expect(fires == 6)
        let once = Timer(timeInterval: 0.05, repeats: false) { _ in }
        RunLoop.current.add(once, forMode: .common)
        #expect(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 60, false) == .finished)
      }
      #expect(recorder.progress.contains { $0.endedNs != nil })
    }
  }

  @Test("leaves an empty mode empty: a run in it returns at once")
  func emptyMode() throws {
    _ = try watching(every: 10 * .millisecond) {
      TestLoop.turn(for: 0.1)
      #expect(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 60, false) == .finished)
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
      #expect(CFRunLoopRunInMode(Self.mode("nothing"), 60, false) == .finished)
    }
  }

  @Test("does not end a run that waits in a mode which another thread has emptied")
  func emptiedMode() throws {
    for interval in [nil, 10 * Nanoseconds.millisecond] {
      _ = try watching(every: interval) {
        let source = CallbackSource {}
        let loop = CFRunLoopGetCurrent()!
        CFRunLoopAddSource(loop, source.source, kCFRunLoopDefaultMode)
        nonisolated(unsafe) let shared = (source.source, loop)
        Thread {
          usleep(200_000)
          CFRunLoopRemoveSource(shared.1, shared.0, kCFRunLoopDefaultMode)
        }.start()
        #expect(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1, false) == .timedOut)
      }
    }
  }

  @Test("tells nothing of a thread that does without its loop, and goes on when it runs again")
  func outside() throws {
    let recorder = try watching {
      Self.wait(for: 0.3)
      usleep(500_000)
      Self.wait(for: 0.3)
    }
    let late = recorder.ticks.compactMap(\.runLoopLateness).max() ?? 0
    #expect(late < 450 * .millisecond, "the time outside is not the loop's lateness")
    let dues = recorder.ticks.map(\.dueNs).sorted()
    let gap = zip(dues, dues.dropFirst()).map { $1 - $0 }.max() ?? 0
    #expect(gap >= 400 * .millisecond)
    #expect(dues.count >= 16)
  }

  @Test("ticks for later loops in the memory of earlier ones, each under its own number")
  func threadEnd() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.driftInterval = 20 * .millisecond
    // What the stalls did is nothing to these tests, and SIGPROF is others' to test.
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    for number in 1...3 {
      TestLoop.run {
        #expect(probe.watchCurrentLoop(name: "worker \(number)"))
        Self.wait(for: 0.4)
      }
      usleep(100_000)
    }
    probe.stop()
    for number in 1...UInt32(3) {
      #expect(recorder.ticks.filter { $0.loop.rawValue == number && $0.runLoopLateness != nil }.count >= 8)
    }
    #expect(recorder.ticks.compactMap(\.runLoopLateness).allSatisfy { $0 < 400 * .millisecond })
  }
}

/// A source of version 0 that calls a closure.
private final class CallbackSource {
  let source: CFRunLoopSource
  private let body: () -> Void

  init(_ body: @escaping () -> Void) {
    self.body = body
    var context = CFRunLoopSourceContext()
    context.perform = { info in Unmanaged<Box>.fromOpaque(info!).takeUnretainedValue().body() }
    context.retain = { info in UnsafeRawPointer(Unmanaged<Box>.fromOpaque(info!).retain().toOpaque()) }
    context.release = { info in Unmanaged<Box>.fromOpaque(info!).release() }
    let box = Box(body)
    context.info = Unmanaged.passUnretained(box).toOpaque()
    source = CFRunLoopSourceCreate(nil, 0, &context)
  }

  private final class Box {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}
