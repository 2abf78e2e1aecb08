import CoreFoundation
import Foundation
import Synchronization
import Testing

@testable import StallwatchCore
@testable import StallwatchProbe

/// A real loop and its observers. The test reads in the watchdog's place, on the loop's own thread.
@Suite("Counters of a loop with callouts of many lengths", .serialized)
struct RetirementTests {
  /// Serves blocks that compute from some hundred nanoseconds up to a millisecond, each longer than the last.
  private static func serve() {
    for place in 0..<80 {
      let length = Nanoseconds(200 * pow(1.12, Double(place)))
      CFRunLoopPerformBlock(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode) {
        let end = Platform.now() + length
        while Platform.now() < end {}
      }
      CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
    }
  }

  @Test("are retired when they are asked for, again and again, and every sample is read once")
  func again() throws {
    let parker = try #require(Parker())
    let clock = try #require(CounterClock())
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    let registry = try #require(LoopRegistry(configuration: configuration, parker: parker, clock: clock))
    TestLoop.run {
      guard let watched = registry.watch(CFRunLoopGetCurrent(), name: "under test") else {
        Issue.record("the loop is not watched")
        return
      }
      let (modes, memory) = (watched.modes, watched.memory)
      for mode in modes { watched.reader.add(mode.counters, retired: memory.retired(at: mode.counters.index)) }
      var found: [Metric: UInt64] = [:]
      func read() -> [Int] {
        for delta in watched.reader.deltas(at: Platform.now()) {
          for growth in delta.metrics { found[growth.metric, default: 0] += growth.count }
        }
        return watched.reader.takeEmptied()
      }
      for _ in 0..<3 {
        Self.serve()
        #expect(read() == [])
        watched.reader.askForRetirements()
        let asked = modes.map(\.counters.index).filter { memory.retired(at: $0).isAsked }
        #expect(asked.count == 1, "the default mode's take more than usual")
        Self.serve()
        #expect(asked.allSatisfy { memory.retired(at: $0).state == .done })
        #expect(read() == asked)
        for index in asked { memory.giveBackRetired(at: index) }
      }
      for metric in Metric.allCases {
        #expect(found[metric, default: 0] == modes.reduce(0) { $0 + $1.counters[metric].count })
      }
      #expect(found[.sources, default: 0] >= 480)
    }
    registry.close()
  }

  @Test("are retired by turns in a program that is watched")
  func watched() throws {
    var configuration = ProbeConfiguration()
    configuration.usesHooks = false
    // SIGPROF is others' to test.
    configuration.sampleInterval = nil
    let probe = try Probe(configuration: configuration, recorder: MemoryRecorder())
    try probe.start()
    TestLoop.run {
      #expect(probe.watchCurrentLoop(name: "under test"))
      var most = 0
      let isRetired = eventually {
        Self.serve()
        let memory = probe.registry.watched(CFRunLoopGetCurrent())?.modes.reduce(0) { $0 + $1.counters.groupsMemory }
        defer { most = max(most, memory ?? 0) }
        return memory.map { $0 < most } ?? false
      }
      #expect(isRetired, "\(most) bytes and more")
    }
    probe.stop()
  }
}
