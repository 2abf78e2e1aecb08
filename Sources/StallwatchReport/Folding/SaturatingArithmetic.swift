import StallwatchCore

/// Sums that stop at the largest value. A file may hold any figure, and a report must not trap.
extension Sequence<UInt64> {
  /// The sum of all, or the largest value.
  package func saturatingSum() -> UInt64 { reduce(0) { $0.saturatingAdd($1) } }
}
