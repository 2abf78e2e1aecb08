import StallwatchCore

/// What one metric of a mode came to in one window of time.
public struct StoredWindow: Sendable, Equatable {
  /// The mode's row.
  public var mode: Int64
  /// What was measured.
  public var metric: Metric
  /// The window's start, monotonic.
  public var startedNs: Nanoseconds
  /// How many samples.
  public var count: UInt64
  /// Their exact sum.
  public var total: Nanoseconds
  /// The longest: within 0.8 %.
  public var maximum: Nanoseconds

  /// A metric's window.
  public init(
    mode: Int64, metric: Metric, startedNs: Nanoseconds, count: UInt64, total: Nanoseconds, maximum: Nanoseconds
  ) {
    self.mode = mode
    self.metric = metric
    self.startedNs = startedNs
    self.count = count
    self.total = total
    self.maximum = maximum
  }
}
