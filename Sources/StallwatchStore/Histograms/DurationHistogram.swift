import StallwatchCore

/// The counters of a ``HistogramLayout`` histogram that are not 0: durations fall into a few dozen of the 3,584, and a
/// store can have a histogram for each of 200,000 timers.
///
/// Counts stop instead of overflowing: a counter at ``HistogramBucket/mostCount``, their sum at `UInt64.max`.
package struct DurationHistogram: Sendable, Equatable {
  /// The counters, in ascending order of their places.
  package private(set) var buckets = PackedBuckets()
  /// The sum of all counters.
  package private(set) var totalCount: UInt64 = 0

  /// An empty histogram.
  package init() {}

  /// Counts `duration` `count` times.
  package mutating func record(_ duration: Nanoseconds, count: UInt64 = 1) {
    add(count, at: HistogramLayout.index(of: duration))
  }

  /// Adds to the counter at `index`, in `0 ..< HistogramLayout.bucketCount`; fastest in ascending order.
  mutating func add(_ count: UInt64, at index: Int) {
    totalCount = totalCount.saturatingAdd(buckets.add(count, at: index))
  }

  /// Adds every counter of `other`.
  package mutating func add(_ other: DurationHistogram) {
    guard !buckets.isEmpty else { return self = other }
    var merged = PackedBuckets()
    merged.reserveCapacity(max(buckets.count, other.buckets.count))
    totalCount = 0
    var (ownBuckets, otherBuckets) = (buckets.makeIterator(), other.buckets.makeIterator())
    var (nextOwn, nextOther) = (ownBuckets.next(), otherBuckets.next())
    while nextOwn != nil || nextOther != nil {
      let index = min(nextOwn?.index ?? .max, nextOther?.index ?? .max)
      var count: UInt64 = 0
      if let bucket = nextOwn, bucket.index == index { (count, nextOwn) = (bucket.count, ownBuckets.next()) }
      if let bucket = nextOther, bucket.index == index {
        (count, nextOther) = (count.saturatingAdd(bucket.count), otherBuckets.next())
      }
      let bucket = HistogramBucket(index: index, count: count)
      merged.append(bucket)
      totalCount = totalCount.saturatingAdd(bucket.count)
    }
    buckets = merged
  }

  /// How many durations count in the counter at `index`.
  package func count(at index: Int) -> UInt64 { buckets.count(at: index) }

  /// The lowest duration of the first counter that is not 0; 0 for an empty histogram.
  package var minimum: Nanoseconds { buckets.first.map { HistogramLayout.lowestDuration(at: $0.index) } ?? 0 }

  /// The longest duration of the first counter at or below which `percent` percent of all durations lie, as
  /// HdrHistogram rounds; 0 for an empty histogram.
  package func value(atPercentile percent: Double) -> Nanoseconds {
    let wanted = min(max(percent.nextDown, 0), 100) * Double(totalCount) / 100
    let rank = max(1, UInt64(exactly: min(wanted.rounded(.up), 0x1p63)) ?? 1)
    var sum: UInt64 = 0
    for bucket in buckets {
      sum = sum.saturatingAdd(bucket.count)
      if sum >= rank { return HistogramLayout.highestDuration(at: bucket.index) }
    }
    return buckets.last.map { HistogramLayout.highestDuration(at: $0.index) } ?? 0
  }
}
