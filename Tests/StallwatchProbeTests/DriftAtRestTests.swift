import CStallwatch
import CoreFoundation
import Foundation
import StallwatchCore
import Synchronization
import Testing

@testable import StallwatchProbe

/// Real loops that wait under the drift probe, with an observer of the test's that sees each wake-up. A busy machine may
/// lengthen a wake-up so that it counts as work; the tests wait until that has not happened for long enough.
@Suite("The drift probe, in a program that rests,", .serialized, .timeLimit(.minutes(5)))
struct DriftAtRestTests {
  private static let interval = 20 * Nanoseconds.millisecond

  /// A wake-up of a loop.
  private struct Wake: Sendable {
    var loop: Int
    var atNs: Nanoseconds
    /// How many records there were by then.
    var records: Int
    /// How often the watchdog had gone to sleep by then; nil where unknown.
    var sleeps: Int?
  }

  /// How often the watchdog's thread has gone to sleep, as the kernel counts it.
  private final class WatchdogSleeps: Sendable {
    private let threadID = Atomic<UInt64>(0)

    /// Called on the watchdog's thread.
    func find() { threadID.store(stallwatch_thread_id(), ordering: .relaxed) }

    /// Reads without Foundation, which takes longer: a loop that takes long to wake counts as working.
    var count: Int? {
      guard let file = fopen("/proc/self/task/\(threadID.load(ordering: .relaxed))/status", "r") else { return nil }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while fgets(&line, CInt(line.count), file) != nil {
        if strncmp(line, "voluntary_ctxt_switches:", 24) == 0 {
          return line[24...].withUnsafeBufferPointer { atol($0.baseAddress!) }
        }
      }
      return nil
    }
  }

  private final class Wakes: Sendable {
    let all = Mutex<[Wake]>([])
    let loops = Mutex<[Loop]>([])
    struct Loop: @unchecked Sendable { let loop: CFRunLoop }

    /// Stops the loops once.
    func stop() {
      for shared in loops.withLock({ $0 }) {
        CFRunLoopStop(shared.loop)
        CFRunLoopWakeUp(shared.loop)
      }
    }
  }

  /// Lets some loops wait until `isOver` says of all wake-ups so far that they have seen enough; true if it did.
  private func wait(
    _ count: Int = 1, _ recorder: MemoryRecorder, until isOver: @escaping @Sendable ([Wake]) -> Bool
  ) throws -> (isOver: Bool, wakes: [Wake]) {
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    configuration.driftInterval = Self.interval
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: recorder)
    let sleeps = WatchdogSleeps()
    try probe.start(recorderCost: {
      sleeps.find()
      return RecorderCost()
    })
    let wakes = Wakes()
    let finished = DispatchSemaphore(value: 0)
    let outcome = Mutex(false)
    for place in 0..<count {
      Thread {
        let loop = CFRunLoopGetCurrent()!
        wakes.loops.withLock { $0.append(Wakes.Loop(loop: loop)) }
        #expect(probe.watchCurrentLoop(name: "loop \(place)"))
        let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.afterWaiting.rawValue, true, 0) {
          _, _ in
          let wake = Wake(
            loop: place, atNs: Platform.now(), records: recorder.records.count, sleeps: sleeps.count)
          let all = wakes.all.withLock { all in
            all.append(wake)
            return all
          }
          guard isOver(all) else { return }
          outcome.withLock { $0 = true }
          wakes.stop()
        }
        CFRunLoopAddObserver(loop, observer, kCFRunLoopDefaultMode)
        let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 86_400, 0, 0, 0) { _ in }
        CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode)
        while !outcome.withLock({ $0 }), CFRunLoopRunInMode(kCFRunLoopDefaultMode, TestLoop.patience, false) == .stopped
        {}
        finished.signal()
      }.start()
    }
    for _ in 0..<count { finished.wait() }
    probe.stop()
    return (outcome.withLock { $0 }, wakes.all.withLock { $0 })
  }

  /// The times between wake-ups of any loop.
  private static func pauses(_ wakes: [Wake]) -> [Nanoseconds] {
    zip(wakes, wakes.dropFirst()).map { $1.atNs.since($0.atNs) }
  }

  @Test("ticks less and less, and what it leaves out is neither served nor dropped")
  func thinsOut() throws {
    func isThinned(_ recorder: MemoryRecorder) -> Bool {
      let numbers = recorder.ticks.map(\.number).sorted()
      #expect(Set(numbers).count == numbers.count)
      return zip(numbers, numbers.dropFirst()).contains { $1 - $0 >= 12 }
    }
    let end = Date(timeIntervalSinceNow: TestLoop.patience)
    var recorder = MemoryRecorder()
    repeat {
      recorder = MemoryRecorder()
      let (isOver, _) = try wait(1, recorder) { Self.pauses($0).contains { $0 >= 16 * Self.interval } }
      #expect(isOver)
      // Otherwise it was the machine that paused, for so long that the loop dropped ticks.
    } while !isThinned(recorder) && Date() < end
    #expect(isThinned(recorder))
    let asked = recorder.ticks.filter { $0.runLoopLateness != nil }
    #expect(asked.count >= 3)
    #expect(asked.contains { $0.gcdLateness != nil })
  }

  @Test("leaves the wake-up out of the profile, hands nothing on and begins no iteration")
  func leavesNoTrace() throws {
    let recorder = MemoryRecorder()
    let (isOver, wakes) = try wait(1, recorder) { wakes in
      // Twice in a row without a record in between, at rest.
      wakes.count >= 3 && Set(wakes.suffix(3).map(\.records)).count == 1
        && Self.pauses(wakes.suffix(3)).allSatisfy { $0 >= 3 * Self.interval }
    }
    #expect(isOver)
    let iterations = recorder.deltas.reduce(0) { $0 + $1.iterations }
    let waits = recorder.deltas.flatMap(\.metrics).filter { $0.metric == .waiting }.reduce(0) { $0 + $1.count }
    #expect(iterations < UInt64(wakes.count), "one was the program's own, and each wake-up began another")
    #expect(waits < UInt64(wakes.count))
    let activities = recorder.progress.reduce(0) { $0 + $1.activities }
    #expect(activities < UInt64(4 * wakes.count))
  }

  #if os(Linux)
    @Test("wakes the watchdog once for a tick")
    func wakesOnce() throws {
      let recorder = MemoryRecorder()
      let (isOver, _) = try wait(1, recorder) { wakes in
        guard wakes.count >= 3, case let sleeps = wakes.suffix(3).compactMap(\.sleeps), sleeps.count == 3 else {
          return false
        }
        if Self.pauses(wakes.suffix(2)).contains(where: { $0 >= 8 * Self.interval }) {
          // The loop turns, and its rest begins anew: there are more ticks then.
          let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 0.005, 0, 0, 0) { _ in }
          CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
        }
        // Twice in a row, at rest: once may be chance.
        return Self.pauses(wakes.suffix(3)).allSatisfy { $0 >= 3 * Self.interval }
          && zip(sleeps, sleeps.dropFirst()).allSatisfy { $1 == $0 + 1 }
      }
      #expect(isOver)
    }
  #endif

  @Test("wakes one loop at a time, each in turn")
  func inTurn() throws {
    let recorder = MemoryRecorder()
    let (isOver, _) = try wait(3, recorder) { wakes in
      let atRest = zip(wakes, wakes.dropFirst()).filter { $1.atNs.since($0.atNs) >= 3 * Self.interval }
      return Set(atRest.map { $1.loop }).count == 3
    }
    #expect(isOver)
  }

  @Test("ticks as often as ever once a loop turns by its own work")
  func turnsAgain() throws {
    let recorder = MemoryRecorder()
    let rested = Atomic<Nanoseconds>(0)
    let (isOver, _) = try wait(1, recorder) { wakes in
      let since = rested.load(ordering: .relaxed)
      if since == 0 {
        guard Self.pauses(wakes).contains(where: { $0 >= 8 * Self.interval }) else { return false }
        rested.store(Platform.now(), ordering: .relaxed)
        let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent(), 0.005, 0, 0) { _ in }
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
        return false
      }
      let numbers = recorder.ticks.filter { $0.dueNs > since }.map(\.number).sorted()
      return zip(numbers, numbers.dropFirst()).filter { $1 == $0 + 1 }.count >= 5
    }
    #expect(isOver)
  }
}
