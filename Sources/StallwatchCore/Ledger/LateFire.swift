/// A callout that came late while a span of the loop was a stall, or one that was part of a stall itself, with the due
/// times missed because of it.
package struct LateFire: BitwiseCopyable, Equatable, Sendable {
  /// The timer's place in the registry's table.
  package var slot: UInt32
  /// True for a callout that came late; false for due times missed during the timer's own callout.
  package var isCallout: Bool
  /// The due time that the callout served.
  package var due: Nanoseconds
  /// The timer's interval; 0 for a one-shot.
  package var interval: Nanoseconds
  /// The due times after this moment were missed: after ``due``, or after the beginning of the timer's own callout.
  package var from: Nanoseconds
  /// The last moment of missed due times: the beginning of the callout, or the end of the timer's own callout.
  package var at: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(
    slot: UInt32, isCallout: Bool, due: Nanoseconds, interval: Nanoseconds, from: Nanoseconds, at moment: Nanoseconds
  ) {
    self.slot = slot
    self.isCallout = isCallout
    self.due = due
    self.interval = interval
    self.from = from
    at = moment
  }

  /// How many due times were missed, after ``from`` and up to ``at``.
  package var missed: UInt64 { missed(from: 0, until: at) }

  /// How many of these lie in `start ... end`.
  func missed(from start: Nanoseconds, until end: Nanoseconds) -> UInt64 {
    guard interval > 0, at.since(due) >= interval else { return 0 }
    return DueGrid(first: due.saturatingAdd(interval), interval: interval).count(
      from: max(start, from.saturatingAdd(1)), until: min(end, at))
  }
}
