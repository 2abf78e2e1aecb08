import StallwatchCore

/// The counters of a ``HistogramLayout`` histogram that are not 0: durations fall into a few dozen of the 3,584, and a
/// store can have a histogram for each of 200,000 timers.
///
/// Counts stop instead of overflowing: a counter at ``HistogramBucket/mostCount``, their sum at `UInt64.max`.
package struct DurationHistogram: Sendable, Equatable {
  /// The counters, in ascending order of their places.
  package private(set) var buckets: [HistogramBucket] = []
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
    guard count > 0 else { return }
    let place = place(of: index)
    if place < buckets.count, buckets[place].index == index {
      let before = buckets[place].count
      buckets[place].count = before.saturatingAdd(count)
      totalCount = totalCount.saturatingAdd(buckets[place].count - before)
    } else {
      let bucket = HistogramBucket(index: index, count: count)
      buckets.makeRoom(for: buckets.count + 1)
      buckets.insert(bucket, at: place)
      totalCount = totalCount.saturatingAdd(bucket.count)
    }
  }

  /// Adds every counter of `other`.
  package mutating func add(_ other: DurationHistogram) {
    guard !buckets.isEmpty else { return self = other }
    var merged: [HistogramBucket] = []
    merged.reserveCapacity(max(buckets.count, other.buckets.count))
    var (own, others) = (buckets[...], other.buckets[...])
    while let first = own.first, let second = others.first {
      if first.index == second.index {
        merged.append(HistogramBucket(index: first.index, count: first.count.saturatingAdd(second.count)))
        (own, others) = (own.dropFirst(), others.dropFirst())
      } else if first.index < second.index {
        merged.append(first)
        own = own.dropFirst()
      } else {
        merged.append(second)
        others = others.dropFirst()
      }
    }
    buckets = merged + own + others
    totalCount = buckets.reduce(0) { $0.saturatingAdd($1.count) }
  }

  /// How many durations count in the counter at `index`.
  package func count(at index: Int) -> UInt64 {
    let place = place(of: index)
    return place < buckets.count && buckets[place].index == index ? buckets[place].count : 0
  }

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

  /// The place of the first bucket whose index is not below `index`.
  private func place(of index: Int) -> Int {
    if let last = buckets.last, last.index < index { return buckets.count }
    return buckets.partitioningIndex { $0.index >= index }
  }
}
