/// The due times of a timer, or of the drift probe: `first`, `first + interval`, … numbered 0, 1, 2 …
///
/// CF's own rule (`__CFRunLoopDoTimer`): a callout serves the due time that it was made for; the next is the first of the
/// grid that lies after the moment at which the callout has returned. What lies between is dropped.
public struct DueGrid: Equatable, Sendable {
  /// A due time.
  public var first: Nanoseconds
  /// The time between two; 0 for a one-shot, which has one.
  public var interval: Nanoseconds

  /// A grid.
  public init(first: Nanoseconds, interval: Nanoseconds = 0) {
    self.first = first
    self.interval = interval
  }

  /// The due time of a number.
  public func due(_ number: UInt64) -> Nanoseconds { first &+ number &* interval }

  /// How many due times lie in `first ... moment`: the number of the first one after it.
  public func count(until moment: Nanoseconds) -> UInt64 {
    if moment < first { return 0 }
    return interval == 0 ? 1 : ((moment - first) / interval).saturatingAdd(1)
  }

  /// How many due times lie in `start ... end`, `start` included.
  func count(from start: Nanoseconds, until end: Nanoseconds) -> UInt64 {
    start == 0 ? count(until: end) : count(until: end).since(count(until: start - 1))
  }
}
