/// The due times of a repeating timer: `first`, `first + interval`, …
///
/// CF's own rule (`__CFRunLoopDoTimer`): a callout serves the due time that it was made for; the next is the first of the
/// grid that lies after the moment at which the callout has returned. What lies between is dropped.
struct DueGrid {
  /// A due time.
  var first: Nanoseconds
  /// The time between two, above 0.
  var interval: Nanoseconds

  /// How many due times lie in `first ... moment`.
  func count(until moment: Nanoseconds) -> UInt64 {
    moment < first ? 0 : (moment - first) / interval + 1
  }

  /// How many due times lie in `start ... end`, `start` included.
  func count(from start: Nanoseconds, until end: Nanoseconds) -> UInt64 {
    let before = start == 0 ? 0 : count(until: start - 1)
    return count(until: end) &- min(before, count(until: end))
  }
}
