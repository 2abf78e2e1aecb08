import StallwatchCore

/// Histograms in a live region: counters, count, sum and maximum. Count and maximum are as far as possible what the
/// counters say.
extension LiveWriter {
  /// Puts a histogram, or with `isFirst` false a later part of one, which has counters alone. Of these one stands for two
  /// to the power of `bits`.
  mutating func put(
    _ histogram: SparseHistogram, counters: ArraySlice<LiveCounter>, coarseBy bits: UInt16, isFirst: Bool
  ) {
    put(UInt64(bits))
    put(counters)
    if isFirst { putSums(of: histogram, after: counters, coarseBy: bits) }
  }

  /// Puts all metrics of a window. Waiting and gap are mostly the same to within a counter, so that of gap there stands
  /// what is different.
  mutating func put(_ metrics: [SparseHistogram?], coarseBy bits: UInt16) {
    let counters = metrics.map { $0.map { LiveCounters.counters($0.buckets, coarseBy: bits) } }
    let present = metrics.indices.reduce(0 as UInt64) { $0 | (metrics[$1] == nil ? 0 : 1 << UInt64($1)) }
    put(UInt64(bits), present)
    for (place, metric) in metrics.enumerated() {
      guard let metric, let own = counters[place] else { continue }
      if place == Int(Metric.gap.rawValue), let known = counters[Int(Metric.waiting.rawValue)] {
        put(LiveCounters.differences(of: own, from: known))
      } else {
        put(own)
      }
      putSums(of: metric, after: own, coarseBy: bits)
    }
  }

  private mutating func putSums(
    of histogram: SparseHistogram, after counters: some BidirectionalCollection<LiveCounter>, coarseBy bits: UInt16
  ) {
    let known = LiveCounters.sums(of: counters, coarseBy: bits)
    put(histogram.count, near: known.count)
    put(histogram.total)
    put(histogram.maximum, near: known.maximum)
  }

  /// Puts a metric that the store has as a whole.
  mutating func put(_ metric: StoredMetric, coarseBy bits: UInt16) {
    let buckets = metric.histogram.sparse(coarseBy: bits)
    let counters = LiveCounters.counters(buckets, coarseBy: bits)
    put(counters)
    putSums(
      of: SparseHistogram(buckets: PackedBuckets(), count: metric.count, total: metric.total, maximum: metric.maximum),
      after: counters, coarseBy: bits)
  }

  /// Puts counters alone.
  mutating func put(_ histogram: DurationHistogram, coarseBy bits: UInt16) {
    put(LiveCounters.counters(histogram.sparse(coarseBy: bits), coarseBy: bits))
  }
}

extension LiveReader {
  /// A histogram, or a later part of one.
  mutating func histogram(isFirst: Bool) throws(Unfit) -> SparseHistogram {
    let bits = try coarseBits()
    let counters = try counters(below: HistogramLayout.bucketCount)
    guard isFirst else {
      return SparseHistogram(buckets: try buckets(counters, coarseBy: bits), count: 0, total: 0, maximum: 0)
    }
    return try sums(after: counters, coarseBy: bits)
  }

  /// All metrics of a window.
  mutating func metrics() throws(Unfit) -> [SparseHistogram?] {
    let (bits, present) = (try coarseBits(), try number())
    guard present < 1 << UInt64(Metric.count) else { throw Unfit() }
    var metrics = [SparseHistogram?](repeating: nil, count: Metric.count)
    var waiting: [LiveCounter]?
    for place in 0..<Metric.count where present & 1 << UInt64(place) != 0 {
      var own = try counters(below: HistogramLayout.bucketCount)
      if place == Int(Metric.gap.rawValue), let waiting { own = LiveCounters.counters(own, from: waiting) }
      if place == Int(Metric.waiting.rawValue) { waiting = own }
      metrics[place] = try sums(after: own, coarseBy: bits)
    }
    return metrics
  }

  /// A metric that the store has as a whole.
  mutating func metric(coarseBy bits: UInt16) throws(Unfit) -> StoredMetric {
    let metric = try sums(after: try counters(below: HistogramLayout.bucketCount), coarseBy: bits)
    var histogram = DurationHistogram()
    for bucket in metric.buckets { histogram.add(bucket.count, at: bucket.index) }
    return StoredMetric(count: metric.count, total: metric.total, maximum: metric.maximum, histogram: histogram)
  }

  /// Counters alone.
  mutating func durations(coarseBy bits: UInt16) throws(Unfit) -> DurationHistogram {
    var histogram = DurationHistogram()
    for bucket in try buckets(try counters(below: HistogramLayout.bucketCount), coarseBy: bits) {
      histogram.add(bucket.count, at: bucket.index)
    }
    return histogram
  }

  /// Of two to the power of how many counters one stands.
  mutating func coarseBits() throws(Unfit) -> UInt16 {
    let bits = try number()
    guard bits <= UInt64(LivePieces.coarsestBits) else { throw Unfit() }
    return UInt16(bits)
  }

  private mutating func sums(after counters: [LiveCounter], coarseBy bits: UInt16) throws(Unfit) -> SparseHistogram {
    let buckets = try buckets(counters, coarseBy: bits)
    let known = LiveCounters.sums(of: counters, coarseBy: bits)
    return SparseHistogram(
      buckets: buckets, count: try time(near: known.count), total: try time(), maximum: try time(near: known.maximum))
  }

  private func buckets(_ counters: [LiveCounter], coarseBy bits: UInt16) throws(Unfit) -> PackedBuckets {
    let most = HistogramEncoding.mostSamples
    guard counters.reduce(0 as UInt64, { $0.saturatingAdd($1.count) }) <= most,
      counters.last.map({ $0.place << Int(bits) < HistogramLayout.bucketCount }) ?? true
    else { throw Unfit() }
    return PackedBuckets(counters.lazy.map { HistogramBucket(index: $0.place << bits, count: $0.count) })
  }
}

extension LiveCounters {
  /// How many durations these counters have, and the shortest that the last of them may have counted.
  fileprivate static func sums(
    of counters: some BidirectionalCollection<LiveCounter>, coarseBy bits: UInt16
  ) -> (count: UInt64, maximum: Nanoseconds) {
    let count = counters.reduce(0 as UInt64) { $0.saturatingAdd($1.count) }
    let last = counters.last.map { min($0.place << Int(bits), HistogramLayout.bucketCount - 1) } ?? 0
    return (count, HistogramLayout.lowestDuration(at: last))
  }
}

extension DurationHistogram {
  fileprivate func sparse(coarseBy bits: UInt16) -> PackedBuckets {
    guard bits > 0 else { return buckets }
    return SparseHistogram(buckets: buckets, count: 0, total: 0, maximum: 0).coarse(by: bits).buckets
  }
}
