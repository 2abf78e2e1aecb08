import StallwatchCore

/// The durations of one metric of a mode in one window of time.
package struct StoredMetricWindow: Sendable {
  /// The rows of the loop and of the mode.
  package var loop: Int64
  package var mode: Int64
  package var metric: Metric
  /// When the window begins, on the monotonic clock, and its length.
  package var startedNs: Nanoseconds
  package var length: Nanoseconds
  package var samples: StoredMetric
}
