import StallwatchCore

/// The counters of one ``HistogramLayout`` histogram that are not 0, with the exact count, sum and maximum.
///
/// A loop's durations fall into a few dozen of the 3,584 counters, so a writer that keeps the current windows of many
/// modes keeps only these.
struct SparseHistogram: Sendable, Equatable {
  /// The counters, in ascending order of their places.
  private(set) var buckets = PackedBuckets()
  private(set) var count: UInt64 = 0
  private(set) var total: Nanoseconds = 0
  private(set) var maximum: Nanoseconds = 0

  /// An empty histogram.
  init() {}

  /// A histogram with these counters and sums.
  init(buckets: PackedBuckets, count: UInt64, total: Nanoseconds, maximum: Nanoseconds) {
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
    buckets.add(delta.buckets)
  }

  /// The same samples in counters of which one stands for two to the power of `bits`: of eight, within 6 % below their
  /// lengths. Sums stay exact.
  func coarse(by bits: UInt16) -> SparseHistogram {
    var joined = PackedBuckets()
    for bucket in buckets { joined.add(bucket.count, at: (bucket.index >> bits) << bits) }
    return SparseHistogram(buckets: joined, count: count, total: total, maximum: maximum)
  }

  /// Appends a part of the same histogram with later counters; one with earlier ones is no such part.
  mutating func append(_ part: SparseHistogram) {
    let isLater = part.buckets.first.map { $0.index > buckets.last?.index ?? 0 || buckets.isEmpty } ?? true
    let samples = [buckets, part.buckets].joined().reduce(0 as UInt64) { $0.saturatingAdd($1.count) }
    guard isLater, samples <= HistogramEncoding.mostSamples else { return }
    for bucket in part.buckets { buckets.append(bucket) }
    count = count.saturatingAdd(part.count)
    total = total.saturatingAdd(part.total)
    maximum = max(maximum, part.maximum)
  }
}
