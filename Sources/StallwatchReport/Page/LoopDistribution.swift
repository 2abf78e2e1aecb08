import StallwatchCore
import StallwatchStore

/// How long the phases, spans and gaps of a loop took, mode by mode.
struct LoopDistribution: Sendable {
  /// One metric of a mode.
  struct Row: Sendable {
    /// What was measured.
    var metric: Metric
    /// How many lie in each bin (``LatencyBins``).
    var counts: [UInt64]
    /// The figures.
    var summary: DurationSummary
  }

  /// A mode.
  struct Mode: Sendable {
    /// CF's name.
    var name: String
    /// Its metrics that have samples.
    var rows: [Row]
  }

  /// The loop, with the split of its gap.
  var loop: LoopReport
  /// The modes that took the most time.
  var modes: [Mode]
  /// Modes that are left out.
  var leftOutModes: Int
}

/// Bins of durations on a logarithmic scale: a quarter of a power of ten each, from 100 ns to 1,000 s.
enum LatencyBins {
  /// The lower end of each bin; what is shorter than the first counts in it, what is longer than the last in that.
  static let bounds: [Nanoseconds] = (0..<40).map { place in
    let steps = [1_000, 1_778, 3_162, 5_623]
    return (0..<place / 4).reduce(Nanoseconds(steps[place % 4])) { value, _ in value * 10 } / 10
  }

  /// How many samples of a metric lie in each bin.
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
  /// The distributions of a loop's `modes`; nil where there is nothing to show.
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
