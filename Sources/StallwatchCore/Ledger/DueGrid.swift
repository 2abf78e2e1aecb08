/// The due times of a timer, or of the drift probe: `first`, `first + interval`, … numbered 0, 1, 2 …
///
/// CF's own rule (`__CFRunLoopDoTimer`): a callout serves the due time for which CF made it. The next is the first due
/// time on the grid after the callout has returned; those between are dropped.
package struct DueGrid: Equatable, Sendable {
  /// The first due time, on the monotonic clock.
  package var first: Nanoseconds
  /// The time between two due times, in nanoseconds; 0 for a one-shot, which has one due time.
  package var interval: Nanoseconds

  /// Sets both values as given.
  package init(first: Nanoseconds, interval: Nanoseconds = 0) {
    self.first = first
    self.interval = interval
  }

  /// The due time numbered `number`, from 0; wraps around beyond 64 bits.
  package func due(_ number: UInt64) -> Nanoseconds { first &+ number &* interval }

  /// How many due times lie in `first ... moment`: the number of the first due time after `moment`.
  package func count(until moment: Nanoseconds) -> UInt64 {
    if moment < first { return 0 }
    return interval == 0 ? 1 : ((moment - first) / interval).saturatingAdd(1)
  }

  /// How many due times lie in `start ... end`, both included.
  func count(from start: Nanoseconds, until end: Nanoseconds) -> UInt64 {
    start == 0 ? count(until: end) : count(until: end).since(count(until: start - 1))
  }
}
