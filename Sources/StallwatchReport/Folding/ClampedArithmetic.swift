/// Sums that stop at the greatest value there is. Figures read from a file may be anything, and a report must not end
/// in a trap.
extension UInt64 {
  /// The sum, or the greatest value.
  func clampedAdding(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The product, or the greatest value.
  func clampedMultiplied(by other: UInt64) -> UInt64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}

extension Sequence<UInt64> {
  /// The sum of all, or the greatest value.
  func clampedSum() -> UInt64 { reduce(0) { $0.clampedAdding($1) } }
}
