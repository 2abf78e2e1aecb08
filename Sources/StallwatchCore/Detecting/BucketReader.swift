/// Computes how the counters of a histogram grew since the last reading. For the watchdog's thread.
struct BucketReader {
  /// A histogram's counters or their growth, with their places in ``HistogramLayout``, in ascending order.
  typealias Buckets = [(index: Int, count: UInt32)]

  /// The counters that were not empty at the last reading: a few dozen out of thousands.
  private var known: Buckets = []

  /// Room reserved at first: usually no more counters grow, although the samples might touch far more.
  private static let usualGrowth: UInt64 = 32

  /// How `histogram` grew, which gained `samples` samples. O(counters ever used).
  mutating func growth(of histogram: SharedHistogram, samples: UInt64) -> Buckets {
    var growth: Buckets = []
    growth.reserveCapacity(Int(min(samples, Self.usualGrowth)))
    guard !known.isEmpty else {
      histogram.forEachUsed { index, now in
        if now != 0 { growth.append((index, now)) }
      }
      known = growth
      return growth
    }
    var place = 0
    histogram.forEachUsed { index, now in
      let isKnown = place < known.count && known[place].index == index
      let before = isKnown ? known[place].count : 0
      if now != before {
        growth.append((index, now &- before))
        if isKnown { known[place].count = now } else { known.insert((index, now), at: place) }
      }
      if isKnown || now != before { place += 1 }
    }
    return growth
  }
}
