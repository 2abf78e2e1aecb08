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

  /// The memory that the last readings of the counters take, in bytes.
  var memory: Int { known.capacity * MemoryLayout<Reading>.stride }

  /// The growth since the last call, as that of `metric`; nil when there is none. O(counters ever used). `retired`: the
  /// counters that were retired since, which it forgets.
  mutating func delta(
    of metric: Metric, in shared: SharedMetric, retired: RetiredCounters? = nil
  ) -> MetricDelta? {
    let newCount = shared.count
    let last = retired.map { takeLast(of: metric, in: $0) } ?? []
    guard newCount != count || !added.isEmpty else { return nil }
    let newTotal = shared.total
    let samples = last.reduce(newCount &- count) { $0.since(UInt64($1.count)) }
    var growth = newCount == count ? [] : last + growth(of: shared, samples: samples)
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
      buckets: added.isEmpty && last.isEmpty ? growth : Self.merged(growth))
  }

  /// The growth of retired counters, which it looks at for the last time.
  private mutating func takeLast(of metric: Metric, in retired: RetiredCounters) -> Buckets {
    defer { known = [] }
    return growth(samples: .max) { retired.forEachUsed(of: metric, $0) }
  }

  private mutating func growth(of shared: SharedMetric, samples: UInt64) -> Buckets {
    growth(samples: samples) { shared.forEachUsed($0) }
  }

  /// The growth of counters by so many samples.
  private mutating func growth(
    samples: UInt64, _ forEachUsed: (_ body: (_ index: Int, _ count: UInt32) -> Bool) -> Void
  ) -> Buckets {
    var growth: Buckets = []
    growth.reserveCapacity(Int(min(samples, Self.usualGrowth)))
    // Most flushes find a sample or two, and need not look at the counters after them. What is found beyond the count,
    // because the loop is just recording it, makes a later reading look further, never less far.
    var left = samples
    guard !known.isEmpty else {
      forEachUsed { index, now in
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
    forEachUsed { index, now in
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
