import StallwatchCore
import StallwatchLibc
import StallwatchStore

extension Level {
  /// A quantile of a session's distribution, of which `clump` successive values weigh as one; nil where too few of
  /// those lie beyond it.
  init?(_ quantile: Quantile, of metric: StoredMetric, clump: Double) {
    let (share, values) = (quantile.share, Double(metric.count) / max(clump, 1))
    guard values * min(share, 1 - share) >= Self.fewestBeyond else { return nil }
    let margin = (share * (1 - share) / values).squareRoot()
    let marks = [share - margin, share, share + margin].map { mark -> Double in
      let value = metric.histogram.value(atPercentile: min(max(mark, 0), 1) * 100)
      return log(Double(max(min(value, metric.maximum), 1)))
    }
    let spread = (marks[2] - marks[0]) / 2
    self.init(logarithm: marks[1], values: values * min(share, 1 - share), variance: spread * spread)
  }

  private static let fewestBeyond = 5.0
}
