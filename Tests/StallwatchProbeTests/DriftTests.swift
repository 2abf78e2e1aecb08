import CoreFoundation
import Foundation
import StallwatchCore
import Testing

@testable import StallwatchProbe

/// Real loops under the drift probe. What must not change is compared with the probe off.
@Suite("The drift probe", .serialized, .timeLimit(.minutes(5)))
struct DriftTests {
  /// The time between two ticks, unless a test says otherwise.
  private static let interval = 20 * Nanoseconds.millisecond

  /// Watches the loop of a thread that runs `body`.
  private func watching(
    every interval: Nanoseconds? = interval, modes: [String] = [],
    _ body: @escaping @Sendable (MemoryRecorder) -> Void
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
      body(recorder)
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

  /// The same until `condition` holds.
  private static func wait(_ mode: CFRunLoopMode = kCFRunLoopDefaultMode, until condition: () -> Bool) {
    let end = Date(timeIntervalSinceNow: TestLoop.patience)
    while !condition(), Date() < end { wait(mode, for: 0.25) }
  }

  /// The ticks that the loop served and that were due after `start`.
  private static func served(_ recorder: MemoryRecorder, after start: Nanoseconds = 0) -> [DriftTick] {
    recorder.ticks.filter { $0.runLoopLateness != nil && $0.dueNs > start }
  }

  @Test("wakes a loop that waits, and the GCD timer ticks beside it")
  func waiting() throws {
    let recorder = try watching { recorder in
      Self.wait { Self.served(recorder).count { $0.gcdLateness != nil } >= 25 }
    }
    let ticks = recorder.ticks
    #expect(Self.served(recorder).count { $0.gcdLateness != nil } >= 25)
    #expect(Set(ticks.map(\.number)).count == ticks.count)
    let first = try #require(ticks.min { $0.number < $1.number })
    #expect(ticks.allSatisfy { $0.dueNs == first.dueNs + ($0.number - first.number) * Self.interval })
    let health = try #require(recorder.healths.last)
    #expect(health.driftWakeups > ticks.count { $0.gcdLateness != nil }, "the control's own, and the loop's besides")
  }

  @Test("leaves a loop of a thread alone while it is young")
  func young() throws {
    let recorder = try watching { recorder in
      Self.wait { Self.served(recorder).count >= 2 }
    }
    let first = try #require(recorder.ticks.map(\.dueNs).min())
    let startedNs = try #require(recorder.loops.first?.startedNs)
    #expect(first > startedNs + 10 * Self.interval)
  }

  @Test("has a tick as late as the callout is long that it fell into, and the ticks after it dropped")
  func held() throws {
    nonisolated(unsafe) var held = TestLoop.Stretch(start: 0, end: 0)
    nonisolated(unsafe) var next: Nanoseconds = 0
    let recorder = try watching { recorder in
      TestLoop.turn { Self.served(recorder).count >= 2 }
      held = TestLoop.callout { usleep(1_000_000) }
      next = TestLoop.callout {}.start
      TestLoop.turn { !Self.served(recorder, after: held.end).isEmpty }
    }
    // Due in the callout, or before it and served after it all the same.
    let waited = Self.served(recorder).filter {
      $0.dueNs < held.end && $0.dueNs + ($0.runLoopLateness ?? 0) + clockError >= held.end
    }
    #expect(waited.count == 1, "held \(held), ticks \(recorder.ticks.suffix(40)), \(recorder.intervals)")
    let late = try #require(waited.first)
    let servedNs = late.dueNs + (late.runLoopLateness ?? 0)
    #expect(late.dueNs <= held.start + Self.interval + clockError)
    #expect(servedNs <= next + clockError, "served before the next callout")
    #expect(late.inOtherModes == 0)
    let dropped = recorder.ticks.filter { $0.number > late.number && $0.dueNs < servedNs }
    #expect(dropped.count + 1 >= (held.end - late.dueNs) / Self.interval)
    #expect(dropped.allSatisfy { $0.runLoopLateness == nil })
    #expect(dropped.contains { $0.gcdLateness != nil }, "the control went on")
  }

  @Test("blames the private mode that the loop ran in, and reports no stall")
  func otherMode() throws {
    nonisolated(unsafe) var nested = TestLoop.Stretch(start: 0, end: 0)
    let recorder = try watching { recorder in
      Self.wait(Self.mode("private"), for: 0.05)
      TestLoop.turn { recorder.modes.contains { $0.name == "private" } && !Self.served(recorder).isEmpty }
      TestLoop.callout { nested = TestLoop.turn("private", for: 1) }
      TestLoop.turn { !Self.served(recorder, after: nested.end).isEmpty }
    }
    let late = try #require(recorder.ticks.max { $0.inOtherModes < $1.inOtherModes })
    // Until the run begins and after it ends, nothing but the thread's wait for a processor.
    #expect(late.inOtherModes + Self.interval + 2 * nested.longestGap + clockError >= nested.duration)
    #expect(late.inOtherModes <= late.runLoopLateness ?? 0)
    let unheld = max(nested.duration, 2 * nested.longestGap)
    #expect(recorder.stalls.filter { $0.ended.duration >= unheld && $0.began.startedNs < nested.end }.isEmpty)
  }

  @Test("is in the modes that were chosen, and in those that become common")
  func modes() throws {
    let chosen = try watching(modes: ["private"]) { recorder in
      // Without hooks a mode is found some time after its first run has begun.
      TestLoop.turn("private") { recorder.modes.contains { $0.name == "private" } }
      Self.wait(Self.mode("private")) { Self.served(recorder).count >= 10 }
    }
    #expect(Self.served(chosen).count >= 10)
    nonisolated(unsafe) var madeCommon: Nanoseconds = 0
    let common = try watching { recorder in
      let mode = Self.mode("made common")
      Self.wait(mode, for: 0.3)
      CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), mode)
      madeCommon = Platform.now()
      // A mode that the probe is not in serves no tick. Which modes are common is asked once a second.
      Self.wait(mode) { Self.served(recorder, after: madeCommon).count >= 10 }
    }
    #expect(Self.served(common, after: madeCommon).count >= 10)
  }

  @Test("makes no run return: run(mode:before:) returns once for each source that was served")
  func returns() throws {
    for interval in [nil, 10 * Nanoseconds.millisecond] {
      let recorder = try watching(every: interval) { _ in
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
      let recorder = try watching(every: interval) { _ in
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
    _ = try watching(every: 10 * .millisecond) { _ in
      TestLoop.turn(for: 0.1)
      #expect(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 60, false) == .finished)
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
      #expect(CFRunLoopRunInMode(Self.mode("nothing"), 60, false) == .finished)
    }
  }

  @Test("does not end a run that waits in a mode which another thread has emptied")
  func emptiedMode() throws {
    for interval in [nil, 10 * Nanoseconds.millisecond] {
      _ = try watching(every: interval) { _ in
        let source = CallbackSource {}
        let loop = CFRunLoopGetCurrent()!
        CFRunLoopAddSource(loop, source.source, kCFRunLoopDefaultMode)
        nonisolated(unsafe) let shared = (source.source, loop)
        // A run that has not begun yet would find the mode empty.
        let isWaiting = DispatchSemaphore(value: 0)
        let beforeWaiting = CFRunLoopActivity.beforeWaiting.rawValue
        let observer = CFRunLoopObserverCreateWithHandler(nil, beforeWaiting, false, 0) { _, _ in isWaiting.signal() }
        CFRunLoopAddObserver(loop, observer, kCFRunLoopDefaultMode)
        Thread {
          isWaiting.wait()
          CFRunLoopRemoveSource(shared.1, shared.0, kCFRunLoopDefaultMode)
        }.start()
        #expect(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1, false) == .timedOut)
      }
    }
  }

  @Test("reports nothing of a thread that does without its loop, and goes on when it runs again")
  func outside() throws {
    nonisolated(unsafe) var away = TestLoop.Stretch(start: 0, end: 0)
    let recorder = try watching { recorder in
      Self.wait { Self.served(recorder).count >= 8 }
      away.start = Platform.now()
      usleep(1_000_000)
      away.end = Platform.now()
      Self.wait { Self.served(recorder, after: away.end).count >= 8 }
    }
    #expect(Self.served(recorder, after: away.end).count >= 8)
    let charged = Self.served(recorder).filter {
      $0.dueNs <= away.start + Self.interval && $0.dueNs + ($0.runLoopLateness ?? 0) >= away.end
    }
    #expect(charged.isEmpty, "the time outside is not the loop's lateness")
    let between = recorder.ticks.filter { (away.start + Self.interval...away.end - Self.interval).contains($0.dueNs) }
    #expect(between.isEmpty)
  }

  @Test("ticks for later loops in the memory of earlier ones, each under its own number")
  func threadEnd() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.driftInterval = Self.interval
    // What the stalls did is nothing to these tests, and SIGPROF is others' to test.
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    var begins: [UInt32: Nanoseconds] = [:]
    for number in 1...UInt32(3) {
      begins[number] = Platform.now()
      TestLoop.run {
        #expect(probe.watchCurrentLoop(name: "worker \(number)"))
        Self.wait { Self.served(recorder).count { $0.loop.rawValue == number } >= 8 }
      }
    }
    probe.stop()
    for (number, begin) in begins {
      let served = Self.served(recorder).filter { $0.loop.rawValue == number }
      #expect(served.count >= 8)
      #expect(served.allSatisfy { $0.dueNs >= begin }, "none is an earlier loop's")
    }
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
