/// Says how the counters of a histogram grew since the last reading.
struct BucketReader {
  /// A histogram's counters or their growth, by their places in ``HistogramLayout``, in ascending order.
  typealias Buckets = [(index: Int, count: UInt32)]

  /// Those that were not empty when they were last read: of thousands a few dozen.
  private var known: Buckets = []

  /// So many counters grow at most times: room for them is taken once, and not for all that samples might touch.
  private static let usualGrowth: UInt64 = 32

  /// How `histogram` grew, to which so many samples were added. O(counters that were ever used).
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
