import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("The size of a live region")
struct LiveSizeTests {
  private let folder = TemporaryFolder()

  /// What a hundred loops write that turn in two modes by turns, with a callout every 50 ms in each: every 400 ms the
  /// growth of each mode, and every second a tick, late where the other mode ran.
  private struct Loops {
    private var random = SplitMix(state: 7)
    private var longest: [Nanoseconds: Nanoseconds] = [:]

    static let count: UInt32 = 100
    static let step = 400 * Nanoseconds.millisecond

    static var records: [Record] {
      (1...count).flatMap { number -> [Record] in
        let loop = LoopID(rawValue: number)
        return [Sample.loop(loop, name: "loop-\(number)")]
          + (0..<2).map { Sample.mode($0, of: loop, name: "mode-\($0)") }
      }
    }

    /// The records of the step that ends at `moment`.
    mutating func grow(at moment: Nanoseconds) -> [Record] {
      let now = Sample.start + moment
      var records: [Record] = []
      for number in 1...Self.count {
        let loop = LoopID(rawValue: number)
        for mode in 0..<2 {
          let start = now - Self.step + Nanoseconds(mode) * Self.step / 2
          records.append(profile(loop, mode, from: start, at: now))
        }
        records.append(.loopProgress(LoopProgress(loop: loop, outside: duration(0, 9), activities: 40)))
        guard moment.isMultiple(of: 2 * .second) else { continue }
        for second in 0..<2 as Range<UInt64> {
          let control = duration(15, 21)
          records.append(
            .driftTick(
              DriftTick(
                loop: loop, number: moment / .second + second - 1, dueNs: now - (1 - second) * .second,
                runLoopLateness: second == 0 ? duration(14, 20) : 20 * .millisecond + duration(20, 26),
                gcdLateness: control, inOtherModes: second == 0 ? 0 : 19 * .millisecond + duration(20, 26))))
        }
      }
      return records + [Sample.health(at: moment)]
    }

    /// Four iterations in 200 ms: most phases take microseconds, and waits what is left of 50 ms.
    private mutating func profile(_ loop: LoopID, _ mode: Int, from start: Nanoseconds, at now: Nanoseconds) -> Record {
      var durations = [[Nanoseconds]](repeating: [], count: Metric.count)
      for _ in 0..<4 {
        let (prepare, sources, service) = (duration(8, 14), duration(6, 8), duration(10, 15))
        let waiting = 50 * .millisecond - duration(12, 23)
        for (metric, duration) in [prepare, sources, waiting, service].enumerated() {
          durations[metric].append(duration)
        }
        durations[Int(Metric.span.rawValue)] += [prepare + sources, service]
        durations[Int(Metric.gap.rawValue)].append(sources + waiting)
      }
      let metrics = Metric.allCases.map { metric in
        let key = UInt64(loop.rawValue) << 8 | UInt64(mode) << 4 | UInt64(metric.rawValue)
        let growth = Sample.growth(metric, durations[Int(metric.rawValue)], longestBefore: longest[key] ?? 0)
        longest[key] = growth.maximum
        return growth
      }
      let waiting = durations[Int(Metric.waiting.rawValue)]
      let stretch = ModeStretch(
        startNs: start, endNs: start + Self.step / 2, busy: Self.step / 2 - waiting.reduce(0, +),
        waiting:
          waiting.reduce(0, +), outside: 0, iterations: 4, longest: durations[Int(Metric.span.rawValue)].max() ?? 0)
      return .profile(
        ProfileDelta(
          loop: loop, mode: mode, atNs: now, entries: 1, iterations: 4, starved: 0, metrics: metrics,
          stretches: [stretch]))
    }

    /// A duration between two powers of two.
    private mutating func duration(_ low: UInt64, _ high: UInt64) -> Nanoseconds {
      let magnitude = UInt64.random(in: low..<high, using: &random)
      return UInt64.random(in: 1 << magnitude..<2 << magnitude, using: &random)
    }
  }

  @Test("stays below 50 blocks and 170 KB for a hundred loops of two modes")
  func hundredLoops() throws {
    let path = folder.file("store.db")
    let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
    writer.take(Loops.records)
    try writer.commit(closing: nil, trouble: nil)
    var loops = Loops()
    var most = (blocks: 0, bytes: 0)
    // There is most of it before a closing: a minute's windows, and metrics and ticks, which stay longer.
    for moment in stride(from: Loops.step, through: 119 * .second, by: Int(Loops.step)) {
      writer.take(loops.grow(at: moment))
      if writer.isClosingDue { try writer.commit(closing: .fullWindows, trouble: nil) }
      try writer.show(trouble: nil)
      let used = try blocks(of: path + "-live-1", after: writer.state.closings)
      most = (max(most.blocks, used.count), max(most.bytes, used.reduce(0) { $0 + $1.bytes.count }))
    }
    #expect(writer.state.closings == 1)
    #expect(writer.state.isCrowded)
    #expect((30...50).contains(most.blocks))
    #expect((100_000...170_000).contains(most.bytes))
  }

  /// The blocks that a region has filled since so many closings.
  private func blocks(of region: String, after closings: Int64) throws -> [LiveBlock.Contents] {
    let bytes = try Array(#require(FileManager.default.contents(atPath: region)))
    return (0..<LiveHeader.blockCount).compactMap { block in
      let offset = LiveHeader.offset(ofBlock: block)
      let contents = LiveBlock.read(bytes[offset..<offset + LiveBlock.length])
      return contents.flatMap { $0.closings == closings && !$0.bytes.isEmpty ? $0 : nil }
    }
  }
}

/// The same numbers each time.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }
}
