/// The latest intervals in which the process did not run: time charged to nobody.
public struct Exclusions: Sendable {
  /// How many are remembered. A spell that ends now can only overlap recent ones; 64 suspensions within one span leave
  /// the oldest uncharged.
  public static let capacity = 64

  private var intervals: [Range<Nanoseconds>] = []

  /// No exclusion yet.
  public init() {}

  /// Remembers an interval. Intervals come in the order of time and do not overlap.
  public mutating func add(_ interval: Range<Nanoseconds>) {
    if intervals.count == Self.capacity { intervals.removeFirst() }
    intervals.append(interval)
  }

  /// Until when time has been excluded; 0 before the first time.
  public var end: Nanoseconds { intervals.last?.upperBound ?? 0 }

  /// How much of the time between two moments was excluded.
  public func overlap(from start: Nanoseconds, to end: Nanoseconds) -> Nanoseconds {
    guard start < end else { return 0 }
    return intervals.reduce(0) { sum, interval in
      let part = interval.clamped(to: start..<end)
      return sum.saturatingAdd(part.upperBound - part.lowerBound)
    }
  }
}
