/// Products and sums that stop at the largest value. A file may hold any figure, and a report must not trap.
extension UInt64 {
  /// The product, or the largest value.
  package func saturatingMultiply(by other: UInt64) -> UInt64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}

extension Sequence<UInt64> {
  /// The sum of all, or the largest value.
  package func saturatingSum() -> UInt64 { reduce(0) { $0.saturatingAdd($1) } }
}
