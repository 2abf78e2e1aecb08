import Foundation
import SeededNumbers
import StallwatchCore
import StallwatchStore
import Testing

@testable import StallwatchFleet

@Suite("An exponential histogram")
struct ExponentialHistogramTests {
  /// The middle of the bucket with the percentile, as a collector has it.
  private func percentile(_ percent: Double, of histogram: ExponentialHistogram) -> Double {
    let rank = max(1, UInt64((percent / 100 * Double(histogram.total)).rounded(.up)))
    var sum = histogram.zeroCount
    if sum >= rank { return 0 }
    for (place, count) in histogram.counts.enumerated() {
      sum += count
      let bound = exp2(Double(Int(histogram.offset) + place) / exp2(Double(histogram.scale)))
      if sum >= rank { return bound * (1 + histogram.base) / 2 }
    }
    return .nan
  }

  @Test("keeps every percentile within its stated error", arguments: [1, 2, 3] as [UInt64])
  func percentiles(seed: UInt64) {
    var random = RandomNumbers(seed: seed)
    var exact = DurationHistogram()
    for _ in 0..<20_000 { exact.record(Nanoseconds(exp2(Double.random(in: 16..<32, using: &random)))) }
    let sent = ExponentialHistogram(exact)
    #expect(sent.total == 20_000)
    #expect(sent.counts.count <= ExponentialHistogram.mostBuckets)
    #expect(sent.counts.reduce(0, +) + sent.zeroCount == 20_000)
    for percent in [1, 25, 50, 90, 99, 99.9, 100] {
      let own = Double(exact.value(atPercentile: percent)) / 1e9
      #expect(abs(percentile(percent, of: sent) / own - 1) <= sent.relativeError, "\(percent)")
    }
  }

  @Test("of an ordinary range has an error below one percent, and of every range at most 320 buckets")
  func scale() {
    var ordinary = DurationHistogram()
    ordinary.record(.millisecond / 10)
    ordinary.record(3 * .millisecond)
    #expect(ExponentialHistogram(ordinary).relativeError < 0.01)
    for duration in [0, 1, 255, 256, 511, 512, 1 << 42, UInt64.max] as [Nanoseconds] { ordinary.record(duration) }
    let wide = ExponentialHistogram(ordinary)
    #expect(wide.counts.count <= 320)
    #expect(wide.zeroCount == 3)
    #expect(wide.counts.reduce(0, +) == 7)
  }

  @Test("of nothing is empty")
  func nothing() {
    let empty = ExponentialHistogram(DurationHistogram())
    #expect(empty.total == 0 && empty.counts.isEmpty && empty.sum == 0)
  }
}

@Suite("The growth of an hour")
struct ActivityGrowthTests {
  private func row(stalls: UInt64, spans: [Nanoseconds], version: UInt64) -> ActivityRow {
    let origin = RowOrigin(session: 1, service: "feed", release: "1", environment: "", instance: "a")
    var row = ActivityRow(
      origin: origin, hour: 3_600, lane: 1, laneName: "main", laneKind: "run loop", isMain: true,
      watched: Nanoseconds(version), version: version)
    row.stalls = stalls
    for span in spans { row.spans.record(span) }
    return row
  }

  @Test("is what came since the reading before, so that growths add up to the hour")
  func growths() throws {
    let first = row(stalls: 1, spans: [1_000, 5_000_000], version: 10)
    let second = row(stalls: 3, spans: [1_000, 5_000_000, 5_000_000, 70_000], version: 30)
    let begun = try #require(ActivityGrowth(from: nil, to: first))
    let grown = try #require(ActivityGrowth(from: first, to: second))
    #expect((begun.stalls, grown.stalls) == (1, 2))
    #expect(begun.watched + grown.watched == second.watched)
    var spans = begun.spans
    spans.add(grown.spans)
    #expect(spans == second.spans)
    #expect(begun.since == 3_600 * Nanoseconds.second)
    #expect(grown.since == 10)
  }

  @Test("is none where nothing came")
  func none() {
    let same = row(stalls: 1, spans: [1_000], version: 10)
    var later = same
    later.version = 20
    #expect(ActivityGrowth(from: same, to: later) == nil)
  }
}
