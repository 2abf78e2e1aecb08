import CoreFoundation
import Foundation
import StallwatchCore
import Testing

@testable import StallwatchProbe

/// Timers of real loops, watched without hooks. Each test counts for itself.
@Suite("Timers", .serialized, .timeLimit(.minutes(5)))
struct TimerTests {
  private struct Ledger {
    var record: TimerRecord
    var fired: UInt64 = 0
    var dropped: UInt64 = 0
    var byMode: [Int: UInt64] = [:]
    var ended = false
  }

  private func ledgers(_ recorder: MemoryRecorder) -> [Nanoseconds: Ledger] {
    var ledgers: [TimerID: Ledger] = [:]
    for record in recorder.records {
      switch record {
      case .timer(let timer): ledgers[timer.id, default: Ledger(record: timer)].record = timer
      case .timerDelta(let delta):
        ledgers[delta.timer]?.fired += delta.fired
        ledgers[delta.timer]?.dropped += delta.dropped
        for (mode, count) in delta.droppedByMode { ledgers[delta.timer]?.byMode[mode, default: 0] += count }
        if delta.endedNs != nil { ledgers[delta.timer]?.ended = true }
      default: break
      }
    }
    return Dictionary(uniqueKeysWithValues: ledgers.values.map { ($0.record.interval, $0) })
  }

  /// A repeating timer that counts, and ends itself in its own callout when it has been told to. Without hooks its end is
  /// seen a moment later, and a due time that fell between may count or not.
  private final class CountedTimer {
    let interval: Nanoseconds
    private(set) var fired: UInt64 = 0
    /// Due times until it ended, by its last word and by when the loop's run was over.
    private(set) var due: ClosedRange<UInt64>?
    private(set) var timer: CFRunLoopTimer!
    private var first: Nanoseconds = 0
    var isToEnd = false
    var work: () -> Void = {}

    init(_ interval: Nanoseconds, mode: CFRunLoopMode = kCFRunLoopDefaultMode) {
      self.interval = interval
      let seconds = Double(interval) / 1e9
      // Else the error is larger, on a machine that is that busy.
      for _ in 0..<1_000 {
        if let timer { CFRunLoopTimerInvalidate(timer) }
        let before = Platform.now()
        let made = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + seconds, seconds, 0, 0) {
          [unowned self] _ in fire()
        }!
        first = before + interval
        timer = made
        if Platform.now() - before < 20 * .microsecond { break }
      }
      CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, mode)
    }

    private func fire() {
      fired += 1
      work()
      guard isToEnd else { return }
      // Due times are known to within the time that making it took.
      while (Platform.now() - first) % interval < interval / 50 { usleep(20) }
      ended = counted
      CFRunLoopTimerInvalidate(timer)
      CFRunLoopStop(CFRunLoopGetCurrent())
    }

    private var ended: UInt64?
    private var counted: UInt64 { (Platform.now() - first) / interval + 1 }

    /// Runs the loop until it has ended.
    func end(in mode: CFRunLoopMode = kCFRunLoopDefaultMode) {
      isToEnd = true
      while ended == nil { CFRunLoopRunInMode(mode, 1, false) }
      due = ended!...counted
    }
  }

  /// Sampling is others' to test.
  private static func configuration() -> ProbeConfiguration {
    var configuration = ProbeConfiguration()
    configuration.sampleInterval = nil
    return configuration
  }

  private func run(_ mode: CFRunLoopMode = kCFRunLoopDefaultMode, for seconds: Double) {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end { CFRunLoopRunInMode(mode, end.timeIntervalSinceNow, false) }
  }

  @Test("have their due time where it is looked for")
  func layout() throws {
    TimerLayout.find()
    #if os(Linux)
      #expect(TimerLayout.isKnown)
    #endif
    let before = Platform.now()
    let made = CFRunLoopTimerCreate(nil, CFAbsoluteTimeGetCurrent() + 100, 0, 0, 0, { _, _ in }, nil)
    let timer = try #require(made)
    let due = TimerLayout.due(UnsafeRawPointer(Unmanaged.passUnretained(timer).toOpaque()))
    withExtendedLifetime(timer) {}
    #expect(due > before + 99 * .second && due < Platform.now() + 101 * .second)
  }

  @Test("whose due times are derived from dates stay on their grid, unless they leave it")
  func grid() {
    let (last, interval) = (Nanoseconds(1_000_000_000), Nanoseconds(10_000_000))
    #expect(TimerLayout.onGrid(last + 40_000, after: last, interval: interval) == last)
    #expect(TimerLayout.onGrid(last - 40_000, after: last, interval: interval) == last)
    #expect(TimerLayout.onGrid(last + 3 * interval - 40_000, after: last, interval: interval) == last + 3 * interval)
    #expect(TimerLayout.onGrid(last + 5_000_000, after: last, interval: interval) == last + 5_000_000)
    #expect(TimerLayout.onGrid(last - 5_000_000, after: last, interval: interval) == last - 5_000_000)
    #expect(TimerLayout.onGrid(last + 40_000, after: last, interval: 0) == last)
    #expect(TimerLayout.onGrid(last, after: 0, interval: interval) == last)
  }

  @Test("that end give their slots to others, and no more memory is touched than there were timers at one time")
  func slots() throws {
    let table = try #require(TimerTable())
    var ids: Set<TimerID> = []
    for _ in 0..<3 * TimerTable.capacity {
      let slots = try [#require(table.claim()), #require(table.claim())]
      for slot in slots { ids.insert(slot.id) }
      for slot in slots { table.free(slot) }
    }
    #expect(ids.count == 6 * TimerTable.capacity, "each has a number of its own")
    #expect(Array(table.slots).count == 2)
    let all = (0..<TimerTable.capacity).compactMap { _ in table.claim() }
    #expect(Set(all.map(\.index)).count == TimerTable.capacity)
    #expect(table.claim() == nil && table.takeLost() == 1)
  }

  @Test("are taken and given back by several threads, each by one at a time")
  func contention() throws {
    let table = try #require(TimerTable())
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for round in 0..<5_000 {
        guard let slot = table.claim() else { continue }
        let mark = UInt64(thread * 10_000 + round + 1)
        slot.loopObject = mark
        slot.begin()
        if slot.loopObject != mark { Issue.record("two threads have one slot") }
        table.free(slot)
      }
    }
    #expect(Array(table.slots).count <= 4)
    #expect(table.takeLost() == 0)
  }

  @Test("that fire once share a slot by the place they were made at, up to a bound")
  func oneShots() throws {
    let table = try #require(TimerTable())
    let memory = try #require(ZeroedMemory.allocate(byteCount: OneShotSlots.byteCount))
    let slots = OneShotSlots(memory: memory)
    let first = try #require(slots.slot(origin: 0x1000) { table.claim() })
    #expect(slots.slot(origin: 0x1000) { table.claim() }?.memory == first.memory)
    #expect(slots.slot(origin: 0x1010) { table.claim() }?.memory != first.memory)
    let others = (0..<1_000).compactMap { place in slots.slot(origin: 0x2000 + UInt64(place) * 5) { table.claim() } }
    #expect(others.count < OneShotSlots.capacity && others.count > OneShotSlots.capacity / 2)
    #expect(slots.slot(origin: 0x1000) { nil }?.memory == first.memory)
    slots.clear()
    #expect(slots.slot(origin: 0x1000) { nil } == nil)
  }

  @Test("that are named fire and are dropped as often as they say, by a stall and by another mode")
  func counted() async throws {
    let recorder = MemoryRecorder()
    try await onThread { [self] in
      let probe = try Probe(configuration: Self.configuration(), recorder: recorder)
      try probe.start()
      defer { probe.stop() }
      let timers = [7, 23, 110].map { CountedTimer(Nanoseconds($0) * .millisecond + 1_000) }
      #expect(probe.watchCurrentLoop(name: "counted"))
      for timer in timers { #expect(probe.watch(timer.timer, name: "every \(timer.interval)") == nil) }
      run(for: 0.3)
      timers[0].work = { [unowned timer = timers[0]] in
        timer.work = {}
        usleep(160_000)
      }
      run(for: 0.3)
      let other = CFStringCreateWithCString(nil, "Private", CFStringBuiltInEncodings.UTF8.rawValue)!
      let keeping = CountedTimer(5 * .millisecond, mode: other)
      // Without hooks a new mode is seen some time after its first run has begun.
      let end = Date(timeIntervalSinceNow: TestLoop.patience)
      while !recorder.modes.contains(where: { $0.name == "Private" }), Date() < end { run(other, for: 0.1) }
      let seen = Platform.now()
      run(other, for: 0.5)
      let missed = Platform.now() - seen
      run(for: 0.2)
      keeping.end(in: other)
      for timer in timers { timer.end() }
      probe.stop()
      let ledgers = ledgers(recorder)
      for timer in timers {
        let ledger = try #require(ledgers[timer.interval])
        #expect(ledger.fired == timer.fired)
        let due = try #require(timer.due)
        #expect(due.contains(ledger.fired + ledger.dropped), "\(due) of a timer every \(timer.interval) ns")
        #expect(ledger.ended)
        #expect(ledger.record.name == "every \(timer.interval)")
        #expect(ledger.record.modes == ["kCFRunLoopDefaultMode"])
        let mode = try #require(recorder.modes.first { $0.name == "Private" })
        #expect(ledger.byMode[mode.index, default: 0] + 1 >= missed / timer.interval)
      }
    }
  }

  /// `then` goes on after the timer was invalidated, outside of any run.
  @Test(
    "that are invalidated outside of runs neither fire nor are due afterwards",
    arguments: ["runs again", "runs no more", "is watched no more"])
  func invalidatedOutside(then: String) async throws {
    let recorder = MemoryRecorder()
    try await onThread { [self] in
      let probe = try Probe(configuration: Self.configuration(), recorder: recorder)
      try probe.start()
      nonisolated(unsafe) var fired: UInt64 = 0
      nonisolated(unsafe) var due: UInt64 = 0
      let isOver = DispatchSemaphore(value: 0)
      Thread { [self] in
        #expect(probe.watchCurrentLoop(name: "counted"))
        let first = Platform.now() + 13 * .millisecond
        let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 0.013, 0.013, 0, 0) { _ in
          fired += 1
        }
        let other = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent(), 0.005, 0, 0) { _ in }
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), other, kCFRunLoopDefaultMode)
        #expect(probe.watch(timer!, name: "ended") == nil)
        run(for: 0.2)
        CFRunLoopTimerInvalidate(timer)
        due = (Platform.now() - first) / (13 * .millisecond) + 1
        usleep(200_000)
        if then == "runs again" { run(for: 0.1) }
        CFRunLoopTimerInvalidate(other)
        if then == "is watched no more" { probe.stop() }
        isOver.signal()
      }.start()
      isOver.wait()
      probe.stop()
      let ledger = try #require(ledgers(recorder)[13 * .millisecond])
      #expect(ledger.fired == fired)
      #expect(ledger.fired + ledger.dropped <= due)
      #expect(ledger.ended)
    }
  }

  private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      let thread = Thread { done.resume(with: Result { try body() }) }
      thread.start()
    }
  }
}
