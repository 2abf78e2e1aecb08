import StallwatchCore
import StallwatchStore

/// How many successive spans of a mode weigh as one, because they are alike: how much more the means of the session's
/// windows vary than those of as many independent spans would (the design effect of Kish, "Survey Sampling", 1965).
struct SpanClumps {
  private struct Sums {
    var windows = 0.0
    var spans = 0.0
    var busy = 0.0
    /// The sum of busy² ÷ spans of each window.
    var squares = 0.0
  }

  private var modes: [Int64: Sums] = [:]
  /// The fewest windows that tell.
  private static let fewest = 4.0

  /// Takes in a window of a session.
  mutating func add(_ window: StoredWindow) {
    guard window.iterations > 0 else { return }
    let (spans, busy) = (Double(window.iterations), Double(window.busy))
    modes[window.mode, default: Sums()].windows += 1
    modes[window.mode, default: Sums()].spans += spans
    modes[window.mode, default: Sums()].busy += busy
    modes[window.mode, default: Sums()].squares += busy * busy / spans
  }

  /// How many spans of the mode in this row weigh as one; nil where too few windows tell.
  func clump(of mode: Int64, spans: StoredMetric) -> Double? {
    guard let sums = modes[mode], sums.windows >= Self.fewest, let variance = Self.variance(spans), variance > 0 else {
      return nil
    }
    let between = max(sums.squares - sums.busy * sums.busy / sums.spans, 0) / (sums.windows - 1)
    return max(between / variance, 1)
  }

  /// The variance of a distribution, each sample in the middle of its counter.
  private static func variance(_ metric: StoredMetric) -> Double? {
    guard metric.count > 1 else { return nil }
    let (count, total) = (Double(metric.count), Double(metric.total))
    let mean = total / count
    let squares = metric.histogram.buckets.reduce(0.0) { sum, bucket in
      let rest = Double(HistogramLayout.middleDuration(at: bucket.index)) - mean
      return sum + rest * rest * Double(bucket.count)
    }
    return squares / count
  }
}
