import StallwatchCore

/// The counters of one ``HistogramLayout`` histogram that are not 0, with the exact count, sum and maximum.
///
/// A loop's durations fall into a few dozen of the 3,584 counters, so a writer that keeps the current windows of many
/// modes keeps only these.
struct SparseHistogram: Sendable, Equatable {
  /// A counter that is not 0.
  struct Bucket: Equatable, Sendable {
    var index: UInt16
    var count: UInt64
  }

  /// The counters, in ascending order of their places.
  private(set) var buckets: [Bucket] = []
  private(set) var count: UInt64 = 0
  private(set) var total: Nanoseconds = 0
  private(set) var maximum: Nanoseconds = 0

  /// An empty histogram.
  init() {}

  /// A histogram with these counters, in ascending order of their places, and sums.
  init(buckets: [Bucket], count: UInt64, total: Nanoseconds, maximum: Nanoseconds) {
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

  private mutating func merge(_ growth: [(index: Int, count: UInt32)]) {
    var merged: [Bucket] = []
    merged.reserveCapacity(buckets.count + growth.count)
    var own = buckets[...]
    for bucket in growth where bucket.count > 0 && (0..<HistogramLayout.bucketCount).contains(bucket.index) {
      while let first = own.first, first.index < bucket.index { merged.append(own.removeFirst()) }
      if let first = own.first, first.index == bucket.index {
        own.removeFirst()
        merged.append(Bucket(index: first.index, count: first.count.saturatingAdd(UInt64(bucket.count))))
      } else {
        merged.append(Bucket(index: UInt16(bucket.index), count: UInt64(bucket.count)))
      }
    }
    merged.append(contentsOf: own)
    buckets = merged
  }
}
