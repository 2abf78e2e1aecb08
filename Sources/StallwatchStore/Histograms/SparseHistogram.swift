import StallwatchCore

/// The counters of one ``HistogramLayout`` histogram that are not 0, with exact count, sum and maximum beside them.
///
/// A loop's durations fall into a few dozen of the 3,584 counters, so a writer that keeps many modes' current windows
/// keeps only those.
struct SparseHistogram: Sendable {
  /// A counter that is not 0.
  struct Bucket: Equatable, Sendable {
    var index: UInt16
    var count: UInt64
  }

  /// In ascending order of their index.
  private(set) var buckets: [Bucket] = []
  private(set) var count: UInt64 = 0
  private(set) var total: Nanoseconds = 0
  private(set) var maximum: Nanoseconds = 0

  /// Adds what a histogram grew by.
  ///
  /// `previousMaximum` is the longest sample of that histogram before: a delta tells only the longest ever, which is
  /// this window's only if it is longer than that one. Otherwise the window's longest is known by its counter alone.
  mutating func add(_ delta: MetricDelta, previousMaximum: Nanoseconds) {
    count = count.saturatingAdd(delta.count)
    total = total.saturatingAdd(delta.total)
    if delta.maximum > previousMaximum {
      maximum = max(maximum, delta.maximum)
    } else if let highest = delta.buckets.last, highest.index < HistogramLayout.bucketCount {
      maximum = max(maximum, min(HistogramLayout.middleDuration(at: highest.index), delta.maximum))
    }
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
