/// A duration, or a moment on the monotonic clock, in nanoseconds.
///
/// Moments are `CLOCK_MONOTONIC` on Linux and `CLOCK_UPTIME_RAW` on Apple's systems: they stand still while the machine
/// sleeps, and nobody sets them. 64 bits hold 584 years.
@usableFromInline package typealias Nanoseconds = UInt64

extension Nanoseconds {
  /// One microsecond.
  @inlinable package static var microsecond: Nanoseconds { 1_000 }
  /// One millisecond.
  @inlinable package static var millisecond: Nanoseconds { 1_000_000 }
  /// One second.
  @inlinable package static var second: Nanoseconds { 1_000_000_000 }

  /// The time from `earlier` to this moment; 0 when `earlier` is the same moment or a later one.
  @inlinable
  package func since(_ earlier: Nanoseconds) -> Nanoseconds {
    self > earlier ? self &- earlier : 0
  }

  /// The sum, at most `UInt64.max`: figures read from a file may have any value, and no sum of them may trap.
  package func saturatingAdd(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The product, at most `UInt64.max`.
  package func saturatingMultiply(by other: UInt64) -> UInt64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}

extension Int {
  /// The sum of two counts, neither below 0; at most `Int.max`.
  package func saturatingAdd(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
