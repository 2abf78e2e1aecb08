/// Products and sums that stop at the greatest value there is. Figures read from a file may be anything, and a report
/// must not end in a trap.
extension UInt64 {
  /// The product, or the greatest value.
  func saturatingMultiply(by other: UInt64) -> UInt64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}

extension Sequence<UInt64> {
  /// The sum of all, or the greatest value.
  func saturatingSum() -> UInt64 { reduce(0) { $0.saturatingAdd($1) } }
}
