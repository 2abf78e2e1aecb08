import Foundation
import Testing

@testable import StallwatchCore

@Suite("What threads show of a lane of Dispatch's")
struct LaneRegionTests {
  /// A region in memory that lasts as long as the test program.
  private func region(_ label: String = "images", _ kind: LaneKind = .queue) -> LaneRegion {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: LaneRegion.byteCount, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: LaneRegion.byteCount)
    let region = LaneRegion(memory: memory)
    #expect(!region.isReady)
    Array(label.utf8.prefix(LaneRegion.labelLength)).withUnsafeBytes {
      region.begin(label: $0, kind, at: 1)
    }
    return region
  }

  @Test("keeps its label, up to its length, and its kind")
  func label() {
    #expect(region("images").label == "images")
    #expect(region("").label == "")
    let long = String(repeating: "x", count: 80)
    #expect(region(long, .pool).label == String(long.prefix(LaneRegion.labelLength)))
    for kind in LaneKind.allCases where kind.isOfItems { #expect(region(long, kind).kind == kind) }
    #expect(region("").isReady)
  }

  @Test("counts every sample of threads that record at the same time, once")
  func counts() {
    let counters = region().counters
    let (threads, each) = (4, 20_000)
    nonisolated(unsafe) var taken: [MetricDelta] = []
    DispatchQueue.concurrentPerform(iterations: threads + 1) { thread in
      if thread == threads {
        for _ in 0..<200 { counters.take(.delay, as: .waiting).map { taken.append($0) } }
      } else {
        for number in 0..<each { counters.record(.delay, Nanoseconds(number * 1_000 + thread)) }
      }
    }
    counters.take(.delay, as: .waiting).map { taken.append($0) }
    #expect(taken.reduce(0) { $0 + $1.count } == UInt64(threads * each))
    #expect(taken.reduce(0) { $0 + $1.total } == UInt64(threads * each * (each - 1) / 2 * 1_000 + each * 6))
    #expect(taken.last?.maximum == Nanoseconds((each - 1) * 1_000 + 3))
    #expect(taken.allSatisfy { zip($0.buckets, $0.buckets.dropFirst()).allSatisfy { $0.index < $1.index } })
    #expect(counters.take(.delay, as: .waiting) == nil && counters.take(.service, as: .span) == nil)
  }

  @Test("counts durations at the ends of the range")
  func extremes() throws {
    let counters = region().counters
    for duration in [0, 1, HistogramLayout.highestTrackable, .max] as [Nanoseconds] {
      counters.record(.service, duration)
    }
    let delta = try #require(counters.take(.service, as: .span))
    #expect(delta.count == 4 && delta.maximum == .max)
    #expect(delta.buckets.map(\.index) == [0, HistogramLayout.bucketCount - 1])
  }

  /// The late items of a region from the start.
  private func late(_ region: LaneRegion) -> (items: [LaneRegion.LateItem], lost: UInt64) {
    var position = self.region().latePosition
    return region.lateItems(after: &position)
  }

  @Test("shows the items that waited for the threshold, and since when others were served")
  func lateItems() {
    let region = region()
    var position = region.latePosition
    region.begin(queue: 7, waitingSince: 1_000, at: 1_099, threshold: 100)
    #expect(region.lateItems(after: &position).items.isEmpty)
    #expect(region.servingNs(7) == 1_099 && region.servingNs(8) == nil)
    region.end(servedSince: 1_099, at: 2_000)
    region.begin(queue: 7, waitingSince: 1_500, at: 2_100, threshold: 100)
    region.end(servedSince: 2_100, at: 2_200)
    // Nothing was served before this one: its queue was suspended.
    let resumed = 2_200 + 2 * Nanoseconds.millisecond
    region.begin(queue: 7, waitingSince: 2_200, at: resumed, threshold: 100)
    region.end(servedSince: resumed, at: resumed + 10)
    // Nor before that of another queue, as far as is known.
    region.begin(queue: 8, waitingSince: 2_200, at: resumed + 20, threshold: 100)
    #expect(region.hasLate(after: position))
    let (items, lost) = region.lateItems(after: &position)
    #expect(lost == 0)
    #expect(items.map(\.queue) == [7, 7, 8] && items.map(\.servingNs) == [1_099, resumed, resumed + 20])
    #expect(items[0].waitingNs == 1_500 && items[0].begunNs == 2_100)
    #expect(!region.hasLate(after: position))
    #expect(region.lateItems(after: &position).items.isEmpty && region.lastEndedNs == resumed + 10)
  }

  @Test("shows items that waited at the same time as one, which may go on after it was read")
  func lateItemsTogether() {
    let region = region()
    var position = region.latePosition
    region.begin(queue: 1, waitingSince: 0, at: 10, threshold: 100)
    for number in 1...1_000 as ClosedRange<Nanoseconds> {
      region.end(servedSince: number * 10, at: number * 10 + 5)
      region.begin(queue: 1, waitingSince: 5, at: number * 10 + 200, threshold: 100)
      if number == 500 {
        let (items, lost) = region.lateItems(after: &position)
        #expect(lost == 0 && items.map(\.begunNs) == [5_200] && items.map(\.waitingNs) == [5])
        #expect(!region.hasLate(after: position))
      }
    }
    #expect(region.hasLate(after: position))
    let (items, lost) = region.lateItems(after: &position)
    #expect(lost == 0 && items.map(\.begunNs) == [10_200])
    #expect(region.lateItems(after: &position).items.isEmpty)
  }

  @Test("counts late items that were overwritten as lost")
  func lostItems() {
    let region = region()
    var position = region.latePosition
    for number in 1...100 as ClosedRange<Nanoseconds> {
      if number == 11 { #expect(region.lateItems(after: &position).items.count == 10) }
      region.begin(queue: number % 2, waitingSince: 1, at: 1_000 + number, threshold: 1)
    }
    let (items, lost) = region.lateItems(after: &position)
    #expect(items.count + Int(lost) == 90 && lost > 0)
    #expect(items.last?.begunNs == 1_100)
  }

  @Test("a pool serves without a pause as long as it serves any item")
  func poolsLateItem() {
    let region = region("pool", .pool)
    region.begin(queue: 1, waitingSince: 0, at: 100, threshold: 1_000)
    region.begin(queue: 2, waitingSince: 0, at: 50 * .millisecond, threshold: 1_000)
    region.end(servedSince: 100, at: 60 * .millisecond)
    region.begin(queue: 2, waitingSince: 500, at: 70 * .millisecond, threshold: 1_000)
    region.end(servedSince: 50 * .millisecond, at: 80 * .millisecond)
    region.end(servedSince: 70 * .millisecond, at: 80 * .millisecond)
    region.begin(queue: 1, waitingSince: 500, at: 90 * .millisecond, threshold: 1_000)
    #expect(late(region).items.map(\.servingNs) == [100, 90 * .millisecond])
  }
}
