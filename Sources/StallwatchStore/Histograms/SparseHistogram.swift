import StallwatchCore

/// The counters of one ``HistogramLayout`` histogram that are not 0, with the exact count, sum and maximum.
///
/// A loop's durations fall into a few dozen of the 3,584 counters, so a writer that keeps the current windows of many
/// modes keeps only these.
struct SparseHistogram: Sendable, Equatable {
  /// The counters, in ascending order of their places.
  private(set) var buckets: [HistogramBucket] = []
  private(set) var count: UInt64 = 0
  private(set) var total: Nanoseconds = 0
  private(set) var maximum: Nanoseconds = 0

  /// An empty histogram.
  init() {}

  /// A histogram with these counters, in ascending order of their places, and sums.
  init(buckets: [HistogramBucket], count: UInt64, total: Nanoseconds, maximum: Nanoseconds) {
    (self.buckets, self.count, self.total, self.maximum) = (buckets, count, total, maximum)
  }

  /// Adds the growth of a histogram.
  ///
  /// `previousMaximum` is the longest sample of that histogram before: a delta gives only the longest ever, which lies
  /// in this window only if it exceeds that one. Otherwise only its counter shows the window's longest sample.
  mutating func add(_ delta: MetricDelta, previousMaximum: Nanoseconds) {
    count = count.saturatingAdd(delta.count)
    total = total.saturatingAdd(delta.total)
    maximum = max(maximum, delta.longest(previousMaximum: previousMaximum))
    merge(delta.buckets)
  }

  /// The same samples in counters of which one stands for two to the power of `bits`: of eight, within 6 % below their
  /// lengths. Sums stay exact.
  func coarse(by bits: UInt16) -> SparseHistogram {
    var coarse = self
    coarse.buckets.removeAll(keepingCapacity: true)
    for bucket in buckets {
      let index = (bucket.index >> bits) << bits
      if let last = coarse.buckets.indices.last, coarse.buckets[last].index == index {
        coarse.buckets[last].count = coarse.buckets[last].count.saturatingAdd(bucket.count)
      } else {
        coarse.buckets.append(HistogramBucket(index: index, count: bucket.count))
      }
    }
    return coarse
  }

  /// Appends a part of the same histogram with later counters; one with earlier ones is no such part.
  mutating func append(_ part: SparseHistogram) {
    let isLater = part.buckets.first.map { $0.index > buckets.last?.index ?? 0 || buckets.isEmpty } ?? true
    guard isLater, (buckets + part.buckets).reduce(0, { $0.saturatingAdd($1.count) }) <= HistogramEncoding.mostSamples
    else { return }
    buckets.append(contentsOf: part.buckets)
    count = count.saturatingAdd(part.count)
    total = total.saturatingAdd(part.total)
    maximum = max(maximum, part.maximum)
  }

  /// `growth` is in ascending order, no counter twice.
  private mutating func merge(_ growth: [(index: Int, count: UInt32)]) {
    let fresh = addToKnown(growth)
    guard fresh > 0 else { return }
    let needed = buckets.count + fresh
    buckets.makeRoom(for: needed)
    var source = buckets.count - 1
    for _ in 0..<fresh { buckets.append(HistogramBucket(index: 0, count: 0)) }
    var target = needed - 1
    // From the end, so that nothing is overwritten that is still to be moved.
    for bucket in growth.reversed() where Self.isCounted(bucket) {
      while source >= 0, buckets[source].index > bucket.index {
        buckets[target] = buckets[source]
        (source, target) = (source - 1, target - 1)
      }
      if source >= 0, buckets[source].index == bucket.index {
        buckets[target] = buckets[source]
        source -= 1
      } else {
        buckets[target] = HistogramBucket(index: bucket.index, count: UInt64(bucket.count))
      }
      target -= 1
    }
  }

  /// Adds to the counters that are there. Returns how many are not.
  private mutating func addToKnown(_ growth: [(index: Int, count: UInt32)]) -> Int {
    var (place, fresh) = (0, 0)
    for bucket in growth where Self.isCounted(bucket) {
      while place < buckets.count, buckets[place].index < bucket.index { place += 1 }
      if place < buckets.count, buckets[place].index == bucket.index {
        buckets[place].count = buckets[place].count.saturatingAdd(UInt64(bucket.count))
      } else {
        fresh += 1
      }
    }
    return fresh
  }

  private static func isCounted(_ bucket: (index: Int, count: UInt32)) -> Bool {
    bucket.count > 0 && (0..<HistogramLayout.bucketCount).contains(bucket.index)
  }
}
