/// The latest intervals in which the process did not run. Durations leave them out.
package struct Exclusions: Sendable {
  /// How many are remembered. A spell that ends now can overlap only recent ones; after more than 64 suspensions within
  /// one span its duration keeps the oldest.
  package static let capacity = 64

  private var intervals: [Range<Nanoseconds>] = []

  /// No interval yet.
  package init() {}

  /// Remembers an interval. Callers add intervals in order of time, without overlaps.
  package mutating func add(_ interval: Range<Nanoseconds>) {
    if intervals.count == Self.capacity { intervals.removeFirst() }
    intervals.append(interval)
  }

  /// The end of the latest interval, on the monotonic clock; 0 before the first.
  package var end: Nanoseconds { intervals.last?.upperBound ?? 0 }

  /// How much of the time between two moments was excluded, in nanoseconds.
  package func overlap(from start: Nanoseconds, to end: Nanoseconds) -> Nanoseconds {
    guard start < end else { return 0 }
    return intervals.reduce(0) { sum, interval in
      let part = interval.clamped(to: start..<end)
      return sum.saturatingAdd(part.upperBound - part.lowerBound)
    }
  }
}
