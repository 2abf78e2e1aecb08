import StallwatchCore
import StallwatchStore

/// Time by which spans exceed the frame budget.
enum Jank {
  /// Σ max(0, span − budget) over the spans of `metric`.
  ///
  /// Exact when no span or every span exceeds the budget, from count, total and maximum. Otherwise each span is taken
  /// to lie in the middle of its counter, which is off by 0.4 % at most, but never beyond the exact maximum.
  static func excess(of metric: StoredMetric, over budget: Nanoseconds) -> Nanoseconds {
    guard metric.count > 0, metric.maximum > budget else { return 0 }
    if metric.histogram.minimum > budget { return metric.total.since(metric.count.saturatingMultiply(by: budget)) }
    return metric.sum(from: budget) { $0.since(budget) }
  }

  /// `excess` in milliseconds per second of `busy` time: 1,000 × excess ÷ busy. Nil without busy time.
  static func rate(excess: Nanoseconds, busy: Nanoseconds) -> Double? {
    busy > 0 ? 1_000 * Double(excess) / Double(busy) : nil
  }
}
