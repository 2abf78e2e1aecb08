import StallwatchCore

/// Counts times that may lie below 0, in the counters of `HistogramLayout` on either side: percentiles to better than 1 %,
/// or 256 ns, in 60 KB whatever their number.
struct SignedHistogram {
  private var below = [UInt64](repeating: 0, count: HistogramLayout.bucketCount)
  private var above = [UInt64](repeating: 0, count: HistogramLayout.bucketCount)
  private(set) var count: UInt64 = 0
  private(set) var total: Nanoseconds = 0
  private var most = Int64.min

  mutating func add(_ value: Int64) {
    let index = HistogramLayout.index(of: value.magnitude)
    if value < 0 { below[index] += 1 } else { above[index] += 1 }
    count += 1
    if value > 0 { total = total.saturatingAdd(UInt64(value)) }
    most = max(most, value)
  }

  mutating func merge(_ other: SignedHistogram) {
    for index in below.indices {
      below[index] += other.below[index]
      above[index] += other.above[index]
    }
    count += other.count
    total = total.saturatingAdd(other.total)
    most = max(most, other.most)
  }

  /// The value that `share` of all are not above, in the middle of its counter and not above the most; nil without any.
  func value(at share: Double) -> Int64? {
    guard count > 0 else { return nil }
    var rest = max(1, UInt64((Double(count) * share).rounded(.up)))
    for index in below.indices.reversed() where below[index] > 0 {
      if rest <= below[index] { return -Int64(HistogramLayout.middleDuration(at: index)) }
      rest -= below[index]
    }
    for index in above.indices where above[index] > 0 {
      if rest <= above[index] { return min(Int64(HistogramLayout.middleDuration(at: index)), most) }
      rest -= above[index]
    }
    return most
  }

  var summary: SignedSummary {
    SignedSummary(
      count: count, p50: value(at: 0.5), p90: value(at: 0.9), p99: value(at: 0.99), p999: value(at: 0.999),
      maximum: count > 0 ? most : nil)
  }

  /// The same for times that do not lie below 0.
  var durations: DurationSummary {
    let summary = summary
    let time = { (value: Int64?) in value.map { Nanoseconds(max($0, 0)) } }
    var durations = DurationSummary()
    durations.count = count
    durations.total = total
    durations.p50 = time(summary.p50)
    durations.p90 = time(summary.p90)
    durations.p99 = time(summary.p99)
    durations.p999 = time(summary.p999)
    durations.maximum = time(summary.maximum)
    return durations
  }
}
