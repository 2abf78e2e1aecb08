import CoreFoundation
import Foundation
import StallwatchCore
import Testing

@testable import StallwatchProbe

/// Timers of real loops, watched without hooks. Each test counts for itself.
@Suite("Timers", .serialized)
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

  /// A repeating timer that counts, and ends itself in its own callout when it has been told to and is well away from its
  /// next due time, so that what was due is beyond dispute.
  private final class CountedTimer {
    let interval: Nanoseconds
    private(set) var fired: UInt64 = 0
    private(set) var due: UInt64 = 0
    private(set) var timer: CFRunLoopTimer!
    private var first: Nanoseconds = 0
    var isToEnd = false
    var work: () -> Void = {}

    init(_ interval: Nanoseconds, mode: CFRunLoopMode = kCFRunLoopDefaultMode) {
      self.interval = interval
      let seconds = Double(interval) / 1e9
      while true {
        let before = Platform.now()
        let made = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + seconds, seconds, 0, 0) {
          [unowned self] _ in fire()
        }!
        first = before + interval
        timer = made
        if Platform.now() - before < 20 * .microsecond { break }
        CFRunLoopTimerInvalidate(made)
      }
      CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, mode)
    }

    private func fire() {
      fired += 1
      work()
      let phase = (Platform.now() - first) % interval
      guard isToEnd, phase > interval / 50, phase < interval * 3 / 4 || interval < .millisecond else {
        if isToEnd { usleep(useconds_t(interval / 50 / 1_000 + 1)) }
        if isToEnd, (Platform.now() - first) % interval < interval * 3 / 4 { end() }
        return
      }
      end()
    }

    private func end() {
      due = (Platform.now() - first) / interval + 1
      CFRunLoopTimerInvalidate(timer)
    }
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

  @Test(
    "named or found fire and are dropped as often as they say, by a stall and by another mode",
    arguments: [false, true])
  func counted(scans: Bool) async throws {
    let recorder = MemoryRecorder()
    try await onThread { [self] in
      var configuration = ProbeConfiguration()
      configuration.scansTimers = scans
      let probe = try Probe(configuration: configuration, recorder: recorder)
      try probe.start()
      defer { probe.stop() }
      let timers = [7, 23, 110].map { CountedTimer(Nanoseconds($0) * .millisecond + 1_000) }
      #expect(probe.watchCurrentLoop(name: "counted"))
      if !scans {
        for timer in timers { #expect(probe.watch(timer.timer, name: "every \(timer.interval)")) }
      }
      run(for: 0.3)
      timers[0].work = { [unowned timer = timers[0]] in
        timer.work = {}
        usleep(160_000)
      }
      run(for: 0.3)
      let other = CFStringCreateWithCString(nil, "Private", CFStringBuiltInEncodings.UTF8.rawValue)!
      let keeping = CountedTimer(5 * .millisecond, mode: other)
      run(other, for: 0.5)
      run(for: 0.2)
      keeping.isToEnd = true
      run(other, for: 0.1)
      for timer in timers { timer.isToEnd = true }
      run(for: 0.5)
      probe.stop()
      let ledgers = ledgers(recorder)
      for timer in timers {
        let ledger = try #require(ledgers[timer.interval])
        #expect(ledger.fired == timer.fired)
        #expect(ledger.fired + ledger.dropped == timer.due, "of a timer every \(timer.interval) ns")
        #expect(ledger.ended)
        #expect(ledger.record.name == (scans ? nil : "every \(timer.interval)"))
        #expect(ledger.record.modes == ["kCFRunLoopDefaultMode"])
        let mode = try #require(recorder.modes.first { $0.name == "Private" })
        // Without hooks a new mode is seen a threshold after its first run begins; as much again for a busy machine.
        let expected = 400 * Nanoseconds.millisecond / timer.interval
        #expect(ledger.byMode[mode.index, default: 0] + 1 >= expected)
      }
    }
  }

  private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      let thread = Thread { done.resume(with: Result { try body() }) }
      thread.start()
    }
  }
}
