/// Computes how a ``SharedMetric`` grew since the last reading, with samples that were set aside. For the watchdog's
/// thread.
struct MetricReader {
  /// The growth of a histogram's counters, with their places in ``HistogramLayout``, in ascending order.
  private typealias Buckets = [(index: Int, count: UInt32)]

  /// What a counter read. In 6 bytes, because a reader lives as long as its loop and keeps hundreds of these.
  private struct Reading {
    let index: UInt16
    private var high: UInt16 = 0
    private var low: UInt16 = 0

    init(index: Int, count: UInt32) {
      self.index = UInt16(index)
      self.count = count
    }

    var count: UInt32 {
      get { UInt32(high) << 16 | UInt32(low) }
      set { (high, low) = (UInt16(newValue >> 16), UInt16(truncatingIfNeeded: newValue)) }
    }
  }

  private var count: UInt64 = 0
  private var total: Nanoseconds = 0
  /// The counters that were not empty at the last reading: a few dozen out of thousands.
  private var known: [Reading] = []
  private var added: [Nanoseconds] = []
  private var longestAdded: Nanoseconds = 0

  /// Room reserved at first: usually no more counters grow, although the samples might touch far more.
  private static let usualGrowth: UInt64 = 32

  /// Adds a sample that the fold set aside.
  mutating func add(_ duration: Nanoseconds) {
    added.append(duration)
    longestAdded = max(longestAdded, duration)
  }

  /// The growth since the last call, as that of `metric`; nil when there is none. O(counters ever used).
  mutating func delta(of metric: Metric, in shared: SharedMetric) -> MetricDelta? {
    let newCount = shared.count
    guard newCount != count || !added.isEmpty else { return nil }
    let newTotal = shared.total
    var growth = newCount == count ? [] : growth(of: shared, samples: newCount &- count)
    for duration in added { growth.append((HistogramLayout.index(of: duration), 1)) }
    defer {
      (count, total) = (newCount, newTotal)
      added.removeAll()
    }
    // Sums the buckets, so that histogram and count always agree: while the loop records a sample, one of the words may
    // have it and the other not.
    return MetricDelta(
      metric: metric, count: growth.reduce(0) { $0 + UInt64($1.count) },
      total: added.reduce(newTotal &- total) { $0.saturatingAdd($1) }, maximum: max(shared.maximum, longestAdded),
      buckets: added.isEmpty ? growth : Self.merged(growth))
  }

  private mutating func growth(of shared: SharedMetric, samples: UInt64) -> Buckets {
    var growth: Buckets = []
    growth.reserveCapacity(Int(min(samples, Self.usualGrowth)))
    // Most flushes find a sample or two, and need not look at the counters after them. What is found beyond the count,
    // because the loop is just recording it, makes a later reading look further, never less far.
    var left = samples
    guard !known.isEmpty else {
      shared.forEachUsed { index, now in
        if now != 0 {
          growth.append((index, now))
          left = left.since(UInt64(now))
        }
        return left > 0
      }
      known = growth.map { Reading(index: $0.index, count: $0.count) }
      return growth
    }
    var place = 0
    shared.forEachUsed { index, now in
      let isKnown = place < known.count && Int(known[place].index) == index
      let before = isKnown ? known[place].count : 0
      if now != before {
        growth.append((index, now &- before))
        if isKnown {
          known[place].count = now
        } else {
          // A quarter more than needed, and not twice as much.
          if known.count == known.capacity { known.reserveCapacity(known.count + max(known.count / 4, 8)) }
          known.insert(Reading(index: index, count: now), at: place)
        }
      }
      if isKnown || now != before { place += 1 }
      left = left.since(UInt64(now &- before))
      return left > 0
    }
    return growth
  }

  private static func merged(_ growth: Buckets) -> Buckets {
    var merged: Buckets = []
    for entry in growth.sorted(by: { $0.index < $1.index }) {
      if merged.last?.index == entry.index {
        merged[merged.count - 1].count &+= entry.count
      } else {
        merged.append(entry)
      }
    }
    return merged
  }
}
