import StallwatchCore

/// Differences of durations, which may lie below 0: histograms of both sides, the sum of those above 0, and the greatest.
package struct SignedMetric: Sendable, Equatable {
  package internal(set) var above = DurationHistogram()
  /// Of the magnitudes of those below 0.
  package internal(set) var below = DurationHistogram()
  /// The sum of those above 0.
  package internal(set) var total: Nanoseconds = 0
  /// Exact; nil without any.
  package internal(set) var maximum: Int64?

  /// How many.
  package var count: UInt64 { above.totalCount.saturatingAdd(below.totalCount) }

  mutating func record(_ value: Int64) {
    if value < 0 { below.record(value.magnitude) } else { above.record(value.magnitude) }
    if value > 0 { total = total.saturatingAdd(value.magnitude) }
    maximum = max(maximum ?? value, value)
  }

  mutating func add(_ other: SignedMetric) {
    above.add(other.above)
    below.add(other.below)
    total = total.saturatingAdd(other.total)
    if let most = other.maximum { maximum = max(maximum ?? most, most) }
  }
}
