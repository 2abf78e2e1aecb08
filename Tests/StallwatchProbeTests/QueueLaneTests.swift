import StallwatchCore
import Testing

@testable import StallwatchProbe

@Suite("The figures of a lane of Dispatch's")
struct QueueLaneTests {
  private static let second = Nanoseconds.second

  private func lane(isPool: Bool = false) -> QueueLane {
    QueueLane(LoopID(rawValue: 1), region: region(isPool: isPool), watchedFrom: 5 * Self.second)
  }

  /// A region that became a lane's after ten seconds.
  private func region(isPool: Bool = false) -> LaneRegion {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: LaneRegion.byteCount, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: LaneRegion.byteCount)
    let region = LaneRegion(memory: memory)
    [UInt8]("images".utf8).withUnsafeBytes { region.begin(label: $0, isPool ? .pool : .queue, at: 10 * Self.second) }
    return region
  }

  @Test("begin with the lane, however late the watchdog meets it, and with the watching if the lane is older")
  func begin() {
    let region = region()
    region.begin(queue: 1, waitingSince: 11 * Self.second, at: 13 * Self.second, threshold: Self.second)
    var new = QueueLane(LoopID(rawValue: 1), region: region, watchedFrom: 5 * Self.second)
    #expect(new.startedNs == 10 * Self.second)
    #expect(new.takeLate().items.map(\.waitingNs) == [11 * Self.second])
    var old = QueueLane(LoopID(rawValue: 1), region: region, watchedFrom: 14 * Self.second)
    #expect(old.startedNs == 14 * Self.second)
    #expect(old.takeLate().items.isEmpty)
  }

  @Test("say when it was idle and when it was busy, without a gap")
  func idleThenBusy() throws {
    var lane = lane()
    let idle1 = lane.growth(at: 11 * Self.second, serving: 0, width: 1)
    #expect(idle1.map { _ in true } == nil)
    lane.region.begin(queue: 1, waitingSince: 60 * Self.second - 5, at: 60 * Self.second, threshold: Self.second)
    lane.region.end(servedSince: 60 * Self.second, at: 60 * Self.second + 300)
    let deltaGrowth = lane.growth(at: 60 * Self.second + 400, serving: 0, width: 1)
    let delta = try #require(deltaGrowth)
    #expect(delta.iterations == 1 && delta.metrics.map(\.metric) == [.waiting, .span])
    #expect(delta.stretches.map(\.startNs) == [10 * Self.second, 60 * Self.second])
    #expect(delta.stretches.map(\.endNs) == [60 * Self.second, 60 * Self.second + 400])
    #expect(delta.stretches.map(\.busy) == [0, 300] && delta.stretches.map(\.waiting) == [50 * Self.second, 100])
    let idle2 = lane.growth(at: 61 * Self.second, serving: 0, width: 1)
    #expect(idle2.map { _ in true } == nil)
  }

  @Test("count an item that goes on once, as far as it has come")
  func goesOn() throws {
    var lane = lane()
    lane.region.begin(queue: 1, waitingSince: 0, at: 11 * Self.second, threshold: Self.second)
    let firstGrowth = lane.growth(at: 13 * Self.second, serving: 2 * Self.second, width: 1)
    let first = try #require(firstGrowth)
    #expect(first.iterations == 0 && first.metrics.isEmpty)
    #expect(first.stretches.map(\.busy) == [0, 2 * Self.second])
    lane.region.end(servedSince: 11 * Self.second, at: 14 * Self.second)
    let secondGrowth = lane.growth(at: 15 * Self.second, serving: 0, width: 1)
    let second = try #require(secondGrowth)
    #expect(second.iterations == 1)
    #expect(second.stretches.map(\.startNs) == [13 * Self.second] && second.stretches.map(\.busy) == [Self.second])
  }

  @Test("of a pool are the share of all that it can serve at once")
  func pool() throws {
    var lane = lane(isPool: true)
    for _ in 0..<2 { lane.region.begin(queue: 1, waitingSince: 0, at: 10 * Self.second, threshold: Self.second) }
    for _ in 0..<2 { lane.region.end(servedSince: 10 * Self.second, at: 11 * Self.second) }
    let deltaGrowth = lane.growth(at: 12 * Self.second, serving: 0, width: 4)
    let delta = try #require(deltaGrowth)
    #expect(delta.stretches.map(\.busy) == [Self.second / 2])
    #expect(delta.stretches.map(\.waiting) == [2 * Self.second - Self.second / 2])
  }
}
