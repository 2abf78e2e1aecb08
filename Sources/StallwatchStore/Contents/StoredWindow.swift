import StallwatchCore

/// One metric of a mode in one window of time.
package struct StoredWindow: Sendable, Equatable {
  /// The row of the mode.
  package var mode: Int64
  /// Which duration the window sums up.
  package var metric: Metric
  /// When the window begins, on the monotonic clock.
  package var startedNs: Nanoseconds
  /// How many samples.
  package var count: UInt64
  /// The exact sum, in nanoseconds.
  package var total: Nanoseconds
  /// The longest sample in nanoseconds, within 0.8 %.
  package var maximum: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(
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
