/// What one mode of a loop did in a stretch of time, evenly spread over it. The stretches of a loop follow each other
/// without a gap while it is watched, so that their sums are the profile's.
package struct ModeStretch: Sendable, Equatable {
  /// When the stretch began, on the monotonic clock.
  package var startNs: Nanoseconds
  /// When it ended, on the monotonic clock.
  package var endNs: Nanoseconds
  /// Time in spans of this mode, in nanoseconds.
  package var busy: Nanoseconds
  /// Time in which the loop waited in this mode, in nanoseconds.
  package var waiting: Nanoseconds
  /// Time outside any run after one in this mode, in nanoseconds.
  package var outside: Nanoseconds
  /// How many iterations began.
  package var iterations: UInt64
  /// The longest span that ended in it, or the length that an open span had reached at its end, in nanoseconds: exact
  /// for stalls and for the mode's longest span so far, otherwise within 0.8 %.
  package var longest: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(
    startNs: Nanoseconds, endNs: Nanoseconds, busy: Nanoseconds = 0, waiting: Nanoseconds = 0,
    outside: Nanoseconds = 0, iterations: UInt64 = 0, longest: Nanoseconds = 0
  ) {
    self.startNs = startNs
    self.endNs = endNs
    self.busy = busy
    self.waiting = waiting
    self.outside = outside
    self.iterations = iterations
    self.longest = longest
  }
}
