import CoreFoundation
import Foundation
import StallwatchCore
import Synchronization
import Testing

@testable import StallwatchProbe

/// Threads with run loops that come and go. Counts, no times.
@Suite("Loops whose threads have ended", .serialized)
struct EndedLoopsTests {
  /// Runs as many threads at one time, each with a loop that fires a timer a few times, and returns when all have
  /// ended.
  private func run(threads: Int, _ body: @escaping @Sendable () -> Void) {
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      let thread = Thread {
        body()
        ended.signal()
      }
      thread.stackSize = 256 * 1_024
      thread.start()
    }
    for _ in 0..<threads { ended.wait() }
  }

  /// Runs `body` on a thread, and returns when that is gone.
  private func join(_ body: @escaping @Sendable () -> Void) throws {
    let work = Unmanaged.passRetained(Work(body: body))
    #if canImport(Glibc)
      var thread = pthread_t()
      let status = pthread_create(&thread, nil, { EndedLoopsTests.run($0!) }, work.toOpaque())
    #else
      var made: pthread_t?
      let status = pthread_create(&made, nil, { EndedLoopsTests.run($0) }, work.toOpaque())
      let thread = try #require(made)
    #endif
    try #require(status == 0)
    pthread_join(thread, nil)
  }

  private static func run(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
    return nil
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private func wait(until isTrue: () -> Bool) {
    let end = Date(timeIntervalSinceNow: 60)
    while !isTrue(), Date() < end { usleep(2_000) }
  }

  @Test("leave every table, are reported with their timers, and leave their memory to those that follow")
  func leave() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.driftInterval = 10 * .millisecond
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    let (batches, alive, fires) = (65, 20, 3)
    let fired = Atomic<Int>(0)
    for batch in 0..<batches {
      run(threads: alive) {
        guard probe.watchCurrentLoop(name: "worker") else { return }
        var count = 0
        let timer = CFRunLoopTimerCreateWithHandler(nil, 0, 0.001, 0, 0) { timer in
          count += 1
          fired.wrappingAdd(1, ordering: .relaxed)
          if count == fires { CFRunLoopTimerInvalidate(timer) }
        }
        guard let timer else { return }
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
        probe.watch(timer, name: "tick")
        while CFRunLoopTimerIsValid(timer) { _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, true) }
      }
      wait { probe.kept.loops == 0 }
      #expect(probe.kept.loops == 0, "after batch \(batch)")
    }
    #expect(probe.kept.byObject == 0)
    #expect(probe.kept.memory <= 2 * alive, "as many again are ready for those to come")
    probe.stop()
    #expect(recorder.loops.count == batches * alive, "more than there may be at one time")
    let ends = recorder.progress.filter { $0.endedNs != nil }
    #expect(Set(ends.map(\.loop)).count == batches * alive)
    #expect(recorder.losses.filter { $0.what != "looks" }.isEmpty)
    #expect(recorder.fired == UInt64(fired.load(ordering: .relaxed)))
    #expect(fired.load(ordering: .relaxed) == batches * alive * fires)
    let timers = try #require(probe.keptTimers)
    #expect(timers.known == 0)
    #expect(timers.waiting == 0)
    #expect(timers.loops == 0)
  }

  @Test("end when their threads do, however late that is seen")
  func endOfThread() throws {
    let isPaused = Mutex(false)
    let recorder = MemoryRecorder { _ in
      while isPaused.withLock({ $0 }) { usleep(1_000) }
    }
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    isPaused.withLock { $0 = true }
    // Joined, so that its last words are said.
    try join {
      guard probe.watchCurrentLoop(name: "worker") else { return }
      TestLoop.turn(for: 0.01)
    }
    let joined = Platform.now()
    isPaused.withLock { $0 = false }
    wait { probe.kept.loops == 0 }
    probe.stop()
    let ends = recorder.progress.compactMap(\.endedNs)
    #expect(ends.count == 1)
    #expect(ends.allSatisfy { $0 <= joined })
  }

  @Test("have what was seen of them for the profile before their end, after which nothing of them is kept")
  func profile() throws {
    let recorder = MemoryRecorder()
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.profileInterval = 1 * .millisecond
    // No flush and no stall comes in between.
    (configuration.flushInterval, configuration.threshold) = (60 * .second, 60 * .second)
    let probe = try Probe(configuration: configuration, recorder: recorder)
    try probe.start()
    try join {
      guard probe.watchCurrentLoop(name: "worker") else { return }
      // The image of the first stack is recorded at once.
      TestLoop.callout { #expect(eventually { !recorder.images.isEmpty }) }
    }
    wait { probe.kept.loops == 0 }
    probe.stop()
    let records = recorder.records
    let end = try #require(
      records.firstIndex { if case .loopProgress(let progress) = $0 { progress.endedNs != nil } else { false } })
    #expect(!recorder.profiledStacks.isEmpty)
    #expect(!records[end...].contains { if case .profiledStack = $0 { true } else { false } })
  }

  @Test("are not taken for the next loop at their address")
  func address() throws {
    let parker = try #require(Parker())
    let clock = try #require(CounterClock())
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let registry = try #require(LoopRegistry(configuration: configuration, parker: parker, clock: clock))
    run(threads: 1) {
      let first = registry.watch(CFRunLoopGetCurrent(), name: "first")
      // As when its thread ends and another one makes its loop where this one's was, before the end is noted.
      first?.leaveIfFree()
      #expect(registry.watched(CFRunLoopGetCurrent()) == nil)
      let second = registry.watch(CFRunLoopGetCurrent(), name: "second")
      #expect(second != nil)
      #expect(second !== first)
    }
    registry.close()
  }

  @Test("leave places ready for as many as there are beside the main one, so that their threads take no memory")
  func ready() throws {
    let parker = try #require(Parker())
    let clock = try #require(CounterClock())
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let registry = try #require(LoopRegistry(configuration: configuration, parker: parker, clock: clock))
    let watch: @Sendable () -> Void = { #expect(registry.watch(CFRunLoopGetCurrent(), name: "worker") != nil) }
    run(threads: 1, watch)
    _ = registry.allLoops
    registry.prepare()
    #expect(registry.counts.memory == 1, "one loop is the main one")
    run(threads: 9, watch)
    _ = registry.allLoops
    for _ in 0..<2 {
      registry.prepare()
      #expect(registry.counts.memory == 10 + 9)
    }
    run(threads: 9, watch)
    #expect(registry.counts.memory == 10 + 9)
    registry.close()
  }

  @Test("do not count among those that may be watched at one time, also before the watchdog has come by")
  func room() throws {
    let parker = try #require(Parker())
    let clock = try #require(CounterClock())
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let registry = try #require(LoopRegistry(configuration: configuration, parker: parker, clock: clock))
    ThreadEnd.prepare()
    let total = ProbeConfiguration.maximumLoops + 200
    let watched = Atomic<Int>(0)
    for _ in 0..<(total / 10) {
      run(threads: 10) {
        guard registry.watch(CFRunLoopGetCurrent(), name: "worker") != nil else { return }
        watched.wrappingAdd(1, ordering: .relaxed)
        // Its thread is known from its first activity on.
        let timer = CFRunLoopTimerCreateWithHandler(nil, 0, 0, 0, 0) { _ in }
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
        _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, true)
      }
      // The threads' last words come after ours; the table is not asked for more than is promised.
      let known = watched.load(ordering: .relaxed)
      wait { registry.loops.filter(\.memory.region.threadHasEnded).count == known }
    }
    #expect(watched.load(ordering: .relaxed) == total / 10 * 10)
    #expect(registry.losses().isEmpty)
    let over = registry.loops
    let held = over.count { $0.withLoop { _ in true } != nil }
    #expect(held == 0, "CoreFoundation's loops are given back with the threads")
    registry.release(over)
    #expect(registry.counts.loops == 0)
    #expect(registry.counts.byObject == 0)
    #expect(registry.counts.memory == total / 10 * 10)
    registry.close()
  }

  @Test("give back the pages of all places but a few, which serve again as if they were new")
  func trimmed() throws {
    let parker = try #require(Parker())
    let clock = try #require(CounterClock())
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let registry = try #require(LoopRegistry(configuration: configuration, parker: parker, clock: clock))
    ThreadEnd.prepare()
    let total = 60
    for round in 0..<3 {
      // All at one time, so that each has memory of its own.
      let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Thread {
        for _ in 0..<total { begun.wait() }
        for _ in 0..<total { mayEnd.signal() }
      }.start()
      run(threads: total) {
        #expect(registry.watch(CFRunLoopGetCurrent(), name: "worker") != nil)
        let timer = CFRunLoopTimerCreateWithHandler(nil, 0, 0, 0, 0) { _ in }
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
        _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, true)
        begun.signal()
        mayEnd.wait()
      }
      wait { registry.loops.count { $0.memory.region.threadHasEnded } == total }
      let over = registry.loops
      #expect(over.allSatisfy { $0.memory.region.activities > 1 && $0.memory.region.threadID != 0 }, "round \(round)")
      #expect(over.allSatisfy { $0.modes.first?.counters.entries == 1 }, "round \(round)")
      registry.release(over)
      #expect(registry.counts.withPages == total)
      registry.trim()
      #expect(registry.counts.withPages == 16)
      #expect(registry.counts.memory == total)
    }
    registry.close()
  }
}
