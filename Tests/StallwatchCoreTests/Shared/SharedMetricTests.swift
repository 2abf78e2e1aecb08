import SeededNumbers
import Testing

@testable import StallwatchCore

@Suite("A metric's samples")
struct SharedMetricTests {
  /// The counters of a mode, with a margin behind them that nothing may touch.
  private final class Mode {
    let bytes: UnsafeMutableRawBufferPointer
    let counters: ModeCounters
    private static let margin = 4_096

    init() {
      bytes = .allocate(byteCount: ModeCounters.byteCount + Self.margin, alignment: 64)
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      counters = ModeCounters(index: 0, memory: bytes.baseAddress!)
    }

    deinit { bytes.deallocate() }

    /// The bytes from the beginning up to the last one that is not 0.
    var touched: Int { (bytes.lastIndex { $0 != 0 } ?? -1) + 1 }
    var isInBounds: Bool { touched <= ModeCounters.byteCount }
  }

  @Test("lie in the counters of the layout, in whatever order they come")
  func counters() {
    for seed in UInt64(0)..<5 {
      let mode = Mode()
      var numbers = RandomNumbers(seed: seed)
      var expected: [Metric: [Int: UInt32]] = [:]
      for _ in 0..<5_000 {
        let metric = Metric.allCases.randomElement(using: &numbers)!
        let duration = Nanoseconds.random(in: 0...(1 << UInt64.random(in: 0...44, using: &numbers)), using: &numbers)
        if !mode.counters[metric].recordUsual(duration) { mode.counters.record(metric, duration) }
        expected[metric, default: [:]][HistogramLayout.index(of: duration), default: 0] += 1
      }
      for metric in Metric.allCases {
        var found: [Int: UInt32] = [:]
        mode.counters[metric].forEachUsed { index, count in
          if count != 0 { found[index] = count }
          #expect(mode.counters[metric][index] == count)
          return true
        }
        #expect(found == expected[metric] ?? [:])
        #expect(mode.counters[metric].count == UInt64(found.values.reduce(0, +)))
      }
      #expect(mode.isInBounds)
    }
  }

  @Test("have room for every counter of every metric")
  func all() {
    let mode = Mode()
    for index in (0..<HistogramLayout.bucketCount).reversed() {
      for metric in Metric.allCases { mode.counters[metric].record(HistogramLayout.highestDuration(at: index)) }
    }
    for metric in Metric.allCases {
      #expect((0..<HistogramLayout.bucketCount).allSatisfy { mode.counters[metric][$0] == 1 })
    }
    #expect(mode.isInBounds)
    mode.counters.clear()
    #expect(mode.touched == 0)
  }

  @Test("take memory for what they touch, and for nothing when they are cleared")
  func memory() {
    let loop = Mode()
    let metric = loop.counters[.service]
    for step in 0..<1_000 as Range<Nanoseconds> { metric.record(100.us + step * 20) }
    #expect(loop.touched < 4_096)
    loop.counters.clear()
    #expect(loop.touched == 0)
  }

  @Test("longer than the layout's longest count in its last counter, and are the exact maximum")
  func longest() {
    let metric = Mode()
    let longest = HistogramLayout.highestTrackable
    let durations: [Nanoseconds] = [longest, longest + 5.s, 5.s, Nanoseconds.max / 2]
    for duration in durations {
      metric.counters[.waiting].record(duration)
    }
    #expect(metric.counters[.waiting][HistogramLayout.bucketCount - 1] == 3)
    #expect(metric.counters[.waiting][HistogramLayout.index(of: 5.s)] == 1)
    #expect(metric.counters[.waiting].maximum == Nanoseconds.max / 2)
    #expect(metric.isInBounds)
  }
}
