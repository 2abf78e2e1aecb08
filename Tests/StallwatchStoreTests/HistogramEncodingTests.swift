import Foundation
import Histogram
import SeededNumbers
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("The histogram encoding")
struct HistogramEncodingTests {
  @Test("agrees with HdrHistogram on where a duration counts")
  func agreesWithLayout() {
    var duration: Nanoseconds = 1
    while duration < HistogramLayout.highestTrackable {
      for value in [duration - 1, duration, duration + 1, duration ^ 0xff]
      where value <= HistogramLayout.highestTrackable {
        let histogram = library()
        let lowest = HistogramLayout.lowestDuration(at: HistogramLayout.index(of: value))
        #expect(histogram.lowestEquivalentForValue(value) == lowest)
      }
      duration = duration * 9 / 8 + 1
    }
    var last = library()
    let isWithin = last.record(HistogramLayout.highestTrackable)
    #expect(isWithin)
  }

  @Test("gives the percentiles that HdrHistogram gives")
  func percentiles() {
    var generator = RandomNumbers(seed: 3)
    for _ in 0..<50 {
      var (own, library) = (DurationHistogram(), library())
      for _ in 0..<Int.random(in: 1...300, using: &generator) {
        // At the end of a counter, which HdrHistogram does not go beyond.
        let index = Int.random(in: 0..<HistogramLayout.bucketCount, using: &generator)
        let duration = HistogramLayout.highestDuration(at: index)
        let count = UInt64.random(in: 1...1_000, using: &generator)
        own.record(duration, count: count)
        library.record(duration, count: count)
      }
      #expect(own.totalCount == library.totalCount)
      for percent in [0.1, 1, 25, 50, 90, 99, 99.9, 99.99] {
        #expect(own.value(atPercentile: percent) == library.valueAtPercentile(percent))
      }
    }
  }

  @Test("adds histograms up as one that counts all, and stops at the greatest count")
  func sums() {
    var generator = RandomNumbers(seed: 4)
    var (first, second, both) = (DurationHistogram(), DurationHistogram(), DurationHistogram())
    for number in 0..<400 {
      let duration = Nanoseconds.random(in: 0...(1 << 42), using: &generator)
      if number % 3 == 0 { first.record(duration) } else { second.record(duration) }
      both.record(duration)
    }
    first.add(second)
    #expect(first == both)
    first.record(5, count: .max)
    first.add(first)
    let others = UInt64(400 - both.count(at: 0)) * 2
    #expect(first.totalCount == HistogramBucket.mostCount + others)
    #expect(first.value(atPercentile: 50) == HistogramLayout.highestDuration(at: 0))
  }

  /// An empty histogram of the layout, of the library.
  private func library() -> Histogram<UInt64> {
    Histogram(
      lowestDiscernibleValue: HistogramLayout.lowestDiscernible,
      highestTrackableValue: HistogramLayout.highestTrackable, numberOfSignificantValueDigits: .two)
  }

  @Test("gives back every counter")
  func roundTrip() throws {
    var generator = RandomNumbers(seed: 7)
    for size in [0, 1, 2, 50, HistogramLayout.bucketCount] {
      let indexes = (0..<HistogramLayout.bucketCount).shuffled(using: &generator).prefix(size).sorted()
      let buckets = indexes.map {
        HistogramBucket(index: $0, count: .random(in: 1...(1 << 30), using: &generator))
      }
      var histogram = DurationHistogram()
      try HistogramEncoding.encode(buckets).withUnsafeBytes { try HistogramEncoding.add($0, to: &histogram) }
      #expect(histogram.totalCount == buckets.reduce(0) { $0 + $1.count })
      for bucket in buckets {
        #expect(histogram.count(at: bucket.index) == bucket.count)
      }
    }
  }

  @Test("writes and reads integers of every length", arguments: [0, 1, -1, 63, 64, -64, -65, 1 << 34, .max, .min])
  func integers(value: Int64) {
    var bytes: [UInt8] = []
    VariableLengthInteger.append(value, to: &bytes)
    #expect(bytes.count <= 9)
    var position = 0
    let read = bytes.withUnsafeBytes { VariableLengthInteger.read($0, at: &position) }
    #expect(read == value)
    #expect(position == bytes.count)
  }

  @Test("refuses bytes that are no histogram of the layout, and never traps")
  func hostileBytes() throws {
    let good = HistogramEncoding.encode([.init(index: 3, count: 5), .init(index: 900, count: 70_000)])
    var generator = RandomNumbers(seed: 11)
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) { bytes.removeLast(.random(in: 1...bytes.count, using: &generator)) }
      var histogram = DurationHistogram()
      do {
        try bytes.withUnsafeBytes { try HistogramEncoding.add($0, to: &histogram) }
        #expect(histogram.totalCount <= HistogramEncoding.mostSamples)
        _ = histogram.value(atPercentile: 99)
      } catch is SQLiteFailure {}
    }
  }

  @Test("refuses what is cut short, too long, of another layout, or holds too many samples")
  func refusals() {
    let good = HistogramEncoding.encode([.init(index: 3, count: 5)])
    var otherDigits = good
    otherDigits[15] = 3
    let tooMany = HistogramEncoding.encode([.init(index: 1, count: HistogramEncoding.mostSamples + 1)])
    let beyond = HistogramEncoding.encode([.init(index: HistogramLayout.bucketCount, count: 1)])
    for bytes in [[], Array(good.dropLast()), good + [0], otherDigits, tooMany, beyond] {
      var histogram = DurationHistogram()
      #expect(throws: SQLiteFailure.self) {
        try bytes.withUnsafeBytes { try HistogramEncoding.add($0, to: &histogram) }
      }
    }
  }

  @Test("is read by HdrHistogram for Python")
  func python() throws {
    let buckets: [HistogramBucket] = [
      .init(index: 0, count: 3), .init(index: 17, count: 1_000), .init(index: 1_200, count: 40),
      .init(index: HistogramLayout.bucketCount - 1, count: 1),
    ]
    let hex = HistogramEncoding.encode(buckets).map { String(format: "%02x", $0) }.joined()
    // Its decoder takes only the compressed form, in base64: wrapped here.
    let program = """
      import base64, struct, sys, zlib
      try:
          from hdrh.histogram import HdrHistogram
      except ImportError:
          print("missing"); sys.exit(0)
      packed = zlib.compress(bytes.fromhex("\(hex)"))
      wrapped = struct.pack(">II", 0x1c849304 | 0x10, len(packed)) + packed
      h = HdrHistogram.decode(base64.b64encode(wrapped))
      print(h.get_total_count(), h.get_value_at_percentile(50), h.get_value_at_percentile(99.5))
      """
    guard let output = Tool.run("python3", ["-c", program])?.output.trimmingCharacters(in: .whitespacesAndNewlines),
      output != "missing"
    else {
      print("not compared with HdrHistogram for Python: python3 with the package hdrhistogram is not installed")
      return
    }
    var histogram = DurationHistogram()
    try HistogramEncoding.encode(buckets).withUnsafeBytes { try HistogramEncoding.add($0, to: &histogram) }
    let expected = [histogram.totalCount, histogram.value(atPercentile: 50), histogram.value(atPercentile: 99.5)]
    #expect(output == expected.map(String.init).joined(separator: " "))
  }

  @Test("of few counters adds growth like one that has them all", arguments: [9, 200, 90_000, .max] as [UInt32])
  func growth(most: UInt32) {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      var (sparse, all) = (SparseHistogram(), [Int: UInt64]())
      for _ in 0..<60 {
        let places = Set((0..<Int.random(in: 0...20)).map { _ in Int.random(in: 0..<300, using: &generator) }).sorted()
        let buckets = places.map { (index: $0, count: UInt32.random(in: 0...most, using: &generator)) }
        for bucket in buckets where bucket.count > 0 { all[bucket.index, default: 0] += UInt64(bucket.count) }
        sparse.add(
          MetricDelta(metric: .span, count: 1, total: 1, maximum: 1, buckets: buckets), previousMaximum: 0)
      }
      #expect(sparse.buckets.map { Int($0.index) } == all.keys.sorted())
      #expect(sparse.buckets.allSatisfy { all[Int($0.index)] == $0.count })
      #expect(sparse.buckets == PackedBuckets(sparse.buckets), "whatever way it came about")
      var walked: [HistogramBucket] = []
      for bucket in sparse.buckets { walked.append(bucket) }
      #expect(walked == sparse.buckets.map { $0 }, "walked, as by subscripts")
      let coarse = sparse.coarse(by: 3)
      #expect(coarse.buckets.allSatisfy { $0.index.isMultiple(of: 8) })
      #expect(coarse.buckets.reduce(0) { $0 + $1.count } == all.values.reduce(0, +))
    }
  }

  @Test("keeps a counter in as many bytes as its count needs", arguments: [(15, 2), (1_000_000, 6), (2_000_000, 14)])
  func memory(count: UInt64, bytes: Int) {
    var histogram = DurationHistogram()
    for index in 0..<1_000 { histogram.add(count, at: index) }
    #expect(histogram.totalCount == 1_000 * count)
    // A quarter more than needed, and what malloc rounds to.
    #expect(histogram.buckets.capacityBytes <= 1_000 * bytes * 5 / 4 + 100)
  }

  @Test(
    "counts one by one what it counts at once, at any place and up to the most that a counter counts",
    arguments: [1, 10, 100_000, HistogramBucket.mostCount])
  func order(factor: UInt64) {
    var generator = RandomNumbers(seed: factor)
    for _ in 0..<100 {
      let counts = (0..<200).map { _ in
        (index: Int.random(in: 0..<40, using: &generator), count: UInt64.random(in: 0...9, using: &generator))
      }
      var (histogram, halves, all) = (DurationHistogram(), [DurationHistogram(), DurationHistogram()], [Int: UInt64]())
      for (place, bucket) in counts.enumerated() {
        let count = bucket.count * factor
        histogram.add(count, at: bucket.index)
        halves[place % 2].add(count, at: bucket.index)
        all[bucket.index] = min((all[bucket.index] ?? 0) + count, HistogramBucket.mostCount)
      }
      halves[0].add(halves[1])
      #expect(histogram == halves[0])
      let counted = all.filter { $0.value > 0 }
      #expect(histogram.buckets.map(\.index) == counted.keys.sorted())
      #expect((0..<40).allSatisfy { histogram.count(at: $0) == counted[$0] ?? 0 })
      #expect(histogram.totalCount == counted.values.reduce(0, +))
    }
  }
}
