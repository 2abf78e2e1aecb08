/// What a loop's thread tells of the drift probe's ticks, for the watchdog to pair with the control's.
public struct ServedTick: Equatable, Sendable {
  /// When the tick was due that was served; where none was, the due time from which on ticks count again.
  public var dueNs: Nanoseconds
  /// When it was served; nil: the loop was outside any run for an interval or more, where no timer has a loop, and what
  /// came due before ``dueNs`` is not told.
  public var servedNs: Nanoseconds?
  /// For how long the loop ran in modes that the probe is not in, between the two moments.
  public var inOtherModes: Nanoseconds

  /// A served tick.
  public init(dueNs: Nanoseconds, servedNs: Nanoseconds?, inOtherModes: Nanoseconds) {
    self.dueNs = dueNs
    self.servedNs = servedNs
    self.inOtherModes = inOtherModes
  }
}
