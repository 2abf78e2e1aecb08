import StallwatchCore
import StallwatchStore

/// Time by which spans exceed the frame budget.
enum Jank {
  /// Σ max(0, span − budget) over the spans of `metric`.
  ///
  /// Exact from count, total and maximum when no span or every span exceeds the budget. Otherwise each span counts with
  /// the middle of its counter, at most 0.4 % off, but never beyond the exact maximum.
  static func excess(of metric: StoredMetric, over budget: Nanoseconds) -> Nanoseconds {
    guard metric.count > 0, metric.maximum > budget else { return 0 }
    if metric.histogram.minimum > budget { return metric.total.since(metric.count.saturatingMultiply(by: budget)) }
    return metric.sum(from: budget) { $0.since(budget) }
  }

  /// 1,000 × excess ÷ busy: milliseconds of excess per second of busy time. Nil without busy time.
  static func rate(excess: Nanoseconds, busy: Nanoseconds) -> Double? {
    busy > 0 ? 1_000 * Double(excess) / Double(busy) : nil
  }
}
