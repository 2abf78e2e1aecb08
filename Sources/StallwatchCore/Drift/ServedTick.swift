/// A loop's thread's report on one tick of the drift probe. The watchdog pairs it with the control's.
package struct ServedTick: BitwiseCopyable, Equatable, Sendable {
  /// When the served tick was due; if ``servedNs`` is nil, the due time from which ticks count again.
  package var dueNs: Nanoseconds
  /// When the loop served it. Nil: the loop was outside any run, where no timer has a loop, for an interval or more;
  /// the probe leaves out what came due before ``dueNs``.
  package var servedNs: Nanoseconds?
  /// For how long, between these two moments, the loop ran in modes that the probe is not in.
  package var inOtherModes: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(dueNs: Nanoseconds, servedNs: Nanoseconds?, inOtherModes: Nanoseconds) {
    self.dueNs = dueNs
    self.servedNs = servedNs
    self.inOtherModes = inOtherModes
  }
}
