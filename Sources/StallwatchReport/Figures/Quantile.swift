/// A place in a distribution. This is the only list of them: reports, budgets, comparisons, tables and metrics iterate
/// it, or index a summary by it.
package enum Quantile: Int, CaseIterable, Sendable {
  case p50, p90, p99, p999, maximum

  /// Its key in JSON and in budgets, and its heading in tables.
  package var key: String { self == .maximum ? "max" : "\(self)" }

  /// The share of values that are no larger, 0…1.
  package var share: Double {
    switch self {
    case .p50: 0.5
    case .p90: 0.9
    case .p99: 0.99
    case .p999: 0.999
    case .maximum: 1
    }
  }

  /// Its words: `99th percentile`.
  package var words: String {
    switch self {
    case .p50: "median"
    case .p90: "90th percentile"
    case .p99: "99th percentile"
    case .p999: "99.9th percentile"
    case .maximum: "longest"
    }
  }

  /// What narrow views show: the usual value, the rare one and the worst.
  package static let brief: [Quantile] = [.p50, .p99, .maximum]
  /// What a table shows that has room for one more.
  package static let wide: [Quantile] = [.p50, .p90, .p99, .maximum]
  /// What `diff` compares. Too few values lie beyond the others to tell a change from chance.
  package static let compared: [Quantile] = [.p50, .p90, .p99]
}
