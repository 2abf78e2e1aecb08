import Foundation
import Synchronization
import Testing

@testable import StallwatchCore

@Suite("Counters that a loop's thread retires")
struct RetiredCountersTests {
  private final class Mode: @unchecked Sendable {
    let counters: ModeCounters
    let retired: RetiredCounters
    let bytes: [UnsafeMutableRawBufferPointer]

    init() {
      bytes = [ModeCounters.byteCount, RetiredCounters.byteCount].map { count in
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        return bytes
      }
      counters = ModeCounters(index: 0, memory: bytes[0].baseAddress!)
      retired = RetiredCounters(memory: bytes[1].baseAddress!)
    }

    deinit { for piece in bytes { piece.deallocate() } }

    func serveRequest() {
      if retired.isAsked { counters.retire(to: retired) }
    }
  }

  /// A duration that falls into its own counter, for most numbers.
  private func duration(_ number: UInt64) -> Nanoseconds { (number &* 0x9e37_79b9_7f4a_7c15) >> 30 }

  @Test("leave none behind, are all of them, and are read once")
  func whole() {
    let mode = Mode()
    for number in 0..<2_000 as Range<UInt64> { mode.counters.record(.service, duration(number)) }
    mode.counters.record(.gap, 7)
    mode.retired.ask()
    mode.serveRequest()

    var (left, found) = (0, [Int: UInt32]())
    mode.counters[.service].forEachUsed { _, count in
      left += Int(count)
      return true
    }
    mode.retired.forEachUsed(of: .service) { index, count in
      if count > 0 { found[index] = count }
      return true
    }
    var expected: [Int: UInt32] = [:]
    for number in 0..<2_000 as Range<UInt64> { expected[HistogramLayout.index(of: duration(number)), default: 0] += 1 }
    #expect(left == 0)
    #expect(found == expected)
    #expect(mode.counters[.service].count == 2_000, "the number stays")
    #expect(mode.counters.groupsMemory == 0)

    mode.retired.clear()
    #expect(mode.bytes[1].allSatisfy { $0 == 0 })
    #expect(mode.retired.state == .none)
  }

  @Test("are asked for where they take more than usual, and are no loss to the sums")
  func asking() throws {
    let loop = TraceLoop()
    var reader = LoopReader(loop: LoopID(rawValue: 1), region: loop.region)
    reader.add(loop.counters(), retired: loop.retired())
    var sum: UInt64 = 0
    func read() { sum += reader.deltas(at: loop.now).flatMap(\.metrics).reduce(0) { $0 + $1.count } }

    for number in 0..<10 as Range<UInt64> { loop.counters().record(.service, 1.ms + number) }
    _ = loop.region.countActivity()
    read()
    reader.askForRetirements()
    #expect(!loop.retired().isAsked, "usual counters stay")

    for number in 0..<500 as Range<UInt64> { loop.counters().record(.service, duration(number)) }
    _ = loop.region.countActivity()
    read()
    reader.askForRetirements()
    #expect(loop.retired().isAsked)
    #expect(!loop.region.countPlainActivity(), "the loop's observers look at what is rare")
    loop.counters().record(.service, 3)
    loop.counters().retire(to: loop.retired())
    for number in 0..<500 as Range<UInt64> { loop.counters().record(.service, duration(number)) }
    _ = loop.region.countActivity()
    read()
    #expect(sum == 1_011)
    #expect(reader.takeEmptied() == [0], "its memory is empty")
    #expect(reader.takeEmptied() == [])
    reader.askForRetirements()
    #expect(loop.retired().isAsked, "the new counters take more than usual again")
  }

  @Test("lose nothing, whenever the loop's thread retires them")
  func whileRead() {
    let mode = Mode()
    let samples: UInt64 = 400_000
    let hasEnded = Atomic<Bool>(false)
    let thread = Thread {
      for number in 0..<samples {
        mode.serveRequest()
        let duration = duration(number / 2)
        for metric in [Metric.service, .span] where !mode.counters.recordUsual(metric, duration) {
          mode.counters.record(metric, duration)
        }
      }
      hasEnded.store(true, ordering: .releasing)
    }
    var reader = ProfileReader(mode.counters, retired: mode.retired)
    var found = [Metric: [Int: UInt64]]()
    var retirements = 0
    func read() {
      let delta = reader.delta(of: LoopID(rawValue: 1), at: 0) { retirements += 1 }
      for growth in delta?.metrics ?? [] {
        for bucket in growth.buckets {
          found[growth.metric, default: [:]][bucket.index, default: 0] += UInt64(bucket.count)
        }
      }
      if mode.retired.state == .none { mode.retired.ask() }
    }
    // However late this thread gets a processor, there is one retirement.
    mode.retired.ask()
    thread.start()
    while !hasEnded.load(ordering: .acquiring) { read() }
    read()
    var expected: [Int: UInt64] = [:]
    for number in 0..<samples { expected[HistogramLayout.index(of: duration(number / 2)), default: 0] += 1 }
    #expect(found == [.service: expected, .span: expected])
    #expect(retirements > 0)
  }
}
