/// Time kept apart, so that no figure covers it silently.
package struct IntervalRecord: Sendable {
  /// Why an interval is kept apart.
  package enum Kind: String, Sendable {
    /// The process or the machine did not run; no loop is charged with the time.
    case excluded
    /// The loop ran and the monitor could not see what it did, for example in a mode not yet observed.
    case blind
  }

  /// Excluded or blind.
  package var kind: Kind
  /// The loop concerned; nil for the whole process.
  package var loop: LoopID?
  /// When it began, on the monotonic clock.
  package var startedNs: Nanoseconds
  /// When it ended, on the monotonic clock. That clock stands still while the machine sleeps: then `duration` exceeds
  /// the difference.
  package var endedNs: Nanoseconds
  /// Its length in nanoseconds.
  package var duration: Nanoseconds
  /// Why, as one of a few fixed words: `stopped` and `machine-sleep` are excluded, `new-mode` is blind.
  package var reason: String

  /// Sets every property as given; checks nothing.
  package init(
    kind: Kind, loop: LoopID?, startedNs: Nanoseconds, endedNs: Nanoseconds, duration: Nanoseconds, reason: String
  ) {
    self.kind = kind
    self.loop = loop
    self.startedNs = startedNs
    self.endedNs = endedNs
    self.duration = duration
    self.reason = reason
  }
}
