/// Reads one mode's counters, and computes how they grew since the last reading. For the watchdog's thread.
struct ProfileReader {
  private let counters: ModeCounters
  private var entries: UInt64 = 0
  private var iterations: UInt64 = 0
  private var starved: Nanoseconds = 0
  private var metrics = [MetricReader](repeating: MetricReader(), count: Metric.count)

  init(_ counters: ModeCounters) { self.counters = counters }

  /// Adds a sample that the fold set aside as a spell.
  mutating func add(_ metric: Metric, _ duration: Nanoseconds) {
    metrics[Int(metric.rawValue)].add(duration)
  }

  /// The growth since the last call; nil when there is none. O(counters of the metrics that grew).
  mutating func delta(of loop: LoopID, at now: Nanoseconds) -> ProfileDelta? {
    let (newEntries, newIterations, newStarved) = (counters.entries, counters.iterations, counters.starved)
    var grown: [MetricDelta] = []
    grown.reserveCapacity(Metric.count)
    for metric in Metric.allCases {
      if let delta = metrics[Int(metric.rawValue)].delta(of: metric, in: counters) { grown.append(delta) }
    }
    guard !grown.isEmpty || newEntries != entries || newIterations != iterations || newStarved != starved else {
      return nil
    }
    defer { (entries, iterations, starved) = (newEntries, newIterations, newStarved) }
    return ProfileDelta(
      loop: loop, mode: counters.index, atNs: now, entries: newEntries &- entries,
      iterations: newIterations &- iterations, starved: newStarved &- starved, metrics: grown)
  }
}

/// Reads one metric's counters of a mode.
private struct MetricReader {
  private var count: UInt64 = 0
  private var total: Nanoseconds = 0
  private var buckets = BucketReader()
  private var added: [Nanoseconds] = []
  private var longestAdded: Nanoseconds = 0

  mutating func add(_ duration: Nanoseconds) {
    added.append(duration)
    longestAdded = max(longestAdded, duration)
  }

  mutating func delta(of metric: Metric, in counters: ModeCounters) -> MetricDelta? {
    let (newCount, newTotal) = (counters.count(of: metric), counters.total(of: metric))
    guard newCount != count || !added.isEmpty else { return nil }
    var growth: BucketReader.Buckets = []
    if newCount != count {
      growth = buckets.growth(of: counters.histogram(of: metric), samples: newCount &- count)
    }
    for duration in added { growth.append((HistogramLayout.index(of: duration), 1)) }
    defer {
      (count, total) = (newCount, newTotal)
      added.removeAll()
    }
    // Sums the buckets, so that histogram and count always agree: while the loop records a sample, one of the words may
    // have it and the other not.
    return MetricDelta(
      metric: metric, count: growth.reduce(0) { $0 + UInt64($1.count) },
      total: added.reduce(newTotal &- total) { $0.saturatingAdd($1) },
      maximum: max(counters.maximum(of: metric), longestAdded),
      buckets: added.isEmpty ? growth : Self.merged(growth))
  }

  private static func merged(_ growth: BucketReader.Buckets) -> BucketReader.Buckets {
    var merged: BucketReader.Buckets = []
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
