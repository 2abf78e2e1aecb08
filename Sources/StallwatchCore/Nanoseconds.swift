/// A duration, or a moment on the monotonic clock, in nanoseconds.
///
/// Moments are `CLOCK_MONOTONIC` on Linux and `CLOCK_UPTIME_RAW` on Apple's systems: they stand still while the machine
/// sleeps and are never set. 64 bits hold 584 years.
public typealias Nanoseconds = UInt64

extension Nanoseconds {
  /// One microsecond.
  public static let microsecond: Nanoseconds = 1_000
  /// One millisecond.
  public static let millisecond: Nanoseconds = 1_000_000
  /// One second.
  public static let second: Nanoseconds = 1_000_000_000

  /// The time from `earlier` to this moment; 0 when the clock stands still or `earlier` lies ahead.
  @inlinable
  public func since(_ earlier: Nanoseconds) -> Nanoseconds {
    self > earlier ? self &- earlier : 0
  }

  /// The sum, or the greatest value there is: figures read from a file may be anything, and no sum of them may trap.
  public func saturatingAdd(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

extension Int {
  /// The sum, or the greatest value there is, of counts that are not below 0.
  public func saturatingAdd(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
