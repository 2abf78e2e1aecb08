import StallwatchCore
import StallwatchLibc
import StallwatchStore

/// Small plots in one line of text.
package enum LatenessPlot {
  /// The lower bounds of the plot's columns: half decades up to 1 s. The first column counts everything below 31.6 µs.
  private static let bounds: [Nanoseconds] = [
    0, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000, 31_622_777, 100_000_000, 316_227_766,
    1_000_000_000,
  ]
  private static let heights: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// One sentence for the reader on the columns.
  package static let legend =
    "The plot counts callouts by lateness, from under 32 µs to over 1 s, two columns per power of ten."

  /// The samples per column as heights on a logarithmic scale, so that one late callout among thousands shows.
  static func text(_ metric: StoredMetric?) -> String {
    guard let metric, metric.count > 0 else { return "" }
    var counts = [Double](repeating: 0, count: bounds.count)
    let last = HistogramLayout.index(of: metric.maximum)
    for bucket in metric.histogram.buckets where bucket.index <= last {
      let value = min(HistogramLayout.middleDuration(at: bucket.index), metric.maximum)
      counts[(bounds.lastIndex { $0 <= value }) ?? 0] += Double(bucket.count)
    }
    let top = logarithm(counts.max() ?? 1)
    return String(
      counts.map { count in
        guard count > 0 else { return "·" }
        return heights[top > 0 ? min(Int(logarithm(count) / top * 7.999), 7) : 7]
      })
  }

  /// Values over time on a logarithmic scale between `low` and `high`; a dot where there is no value.
  package static func line(_ values: [Nanoseconds?], low: Nanoseconds, high: Nanoseconds) -> String {
    String(
      values.map { value in
        guard let value else { return "·" }
        return heights[min(max(Int(height(of: value, low: low, high: high) * 7.999), 0), 7)]
      })
  }

  /// The position of a value between `low` and `high` on a logarithmic scale, 0…1.
  package static func height(of value: Nanoseconds, low: Nanoseconds, high: Nanoseconds) -> Double {
    let range = logarithm(Double(max(high, low + 1)) / Double(low))
    return range > 0 ? min(logarithm(Double(max(value, low)) / Double(low)) / range, 1) : 0
  }

  private static func logarithm(_ value: Double) -> Double { value > 1 ? log(value) : 0 }
}
