import StallwatchCore
import StallwatchStore

/// The distributions of a loop's phases, spans and gaps, mode by mode.
package struct LoopDistribution: Sendable {
  /// The distribution of one metric.
  package struct Row: Sendable {
    /// The metric measured.
    package var metric: Metric
    /// The number of samples in each bin (``LatencyBins``).
    package var counts: [UInt64]
    /// The percentiles and totals.
    package var summary: DurationSummary
  }

  /// The distributions of one mode.
  package struct Mode: Sendable {
    /// CF's name.
    package var name: String
    /// The metrics that have samples.
    package var rows: [Row]
  }

  /// The loop, with the split of its gap.
  package var loop: LoopReport
  /// The modes with the most time.
  package var modes: [Mode]
  /// The number of modes left out.
  package var leftOutModes: Int
}

/// Bins of durations on a logarithmic scale: four per power of ten, from 100 ns to 1,000 s.
package enum LatencyBins {
  /// The lower bound of each bin. The first bin also counts what is shorter, the last what is longer.
  package static let bounds: [Nanoseconds] = (0..<40).map { place in
    let steps = [1_000, 1_778, 3_162, 5_623]
    return (0..<place / 4).reduce(Nanoseconds(steps[place % 4])) { value, _ in value * 10 } / 10
  }

  /// The number of a metric's samples in each bin.
  static func counts(of metric: StoredMetric) -> [UInt64] {
    var counts = [UInt64](repeating: 0, count: bounds.count)
    guard metric.count > 0 else { return counts }
    var place = 0
    let last = HistogramLayout.index(of: metric.maximum)
    for bucket in metric.histogram.buckets where bucket.index <= last {
      let value = min(HistogramLayout.middleDuration(at: bucket.index), metric.maximum)
      while place + 1 < bounds.count, bounds[place + 1] <= value { place += 1 }
      counts[place] = counts[place].saturatingAdd(bucket.count)
    }
    return counts
  }
}

extension LoopDistribution {
  /// The distributions of the loop's `limit` modes with the most time; nil where no mode has samples.
  init?(_ loop: LoopReport, modes: [StoredMode], limit: Int) {
    let used = modes.filter { !$0.metrics.isEmpty }.sorted { (Self.time($1), $0.id) < (Self.time($0), $1.id) }
    guard !used.isEmpty else { return nil }
    self.loop = loop
    leftOutModes = max(used.count - limit, 0)
    self.modes = used.prefix(limit).map { mode in
      Mode(
        name: mode.name,
        rows: Metric.allCases.compactMap { metric in
          mode.metrics[metric].map {
            Row(metric: metric, counts: LatencyBins.counts(of: $0), summary: DurationSummary($0))
          }
        })
    }
  }

  private static func time(_ mode: StoredMode) -> Nanoseconds {
    Phase.allCases.map { mode.metrics[Metric($0)]?.total ?? 0 }.saturatingSum()
  }
}
