/// One tick of the drift probe: how late a run loop and a GCD timer each served the same moment.
public struct DriftTick: Sendable, Equatable {
  /// The loop.
  public var loop: LoopID
  /// The tick's number on the grid that all loops share: 0, 1, 2 …
  public var number: UInt64
  /// When it was due, on the monotonic clock.
  public var dueNs: Nanoseconds
  /// How late the loop served it; nil: dropped, because the loop had not served an earlier one by then. Counted from the
  /// due time, or, where the loop waited then, from the moment at which the probe woke it: the probe's own lateness is not
  /// the loop's.
  public var runLoopLateness: Nanoseconds?
  /// How late the GCD timer fired; nil: dropped.
  public var gcdLateness: Nanoseconds?
  /// Of ``runLoopLateness``, the time in which the loop ran in modes that the probe is not in.
  public var inOtherModes: Nanoseconds

  /// A tick.
  public init(
    loop: LoopID, number: UInt64, dueNs: Nanoseconds, runLoopLateness: Nanoseconds?, gcdLateness: Nanoseconds?,
    inOtherModes: Nanoseconds
  ) {
    self.loop = loop
    self.number = number
    self.dueNs = dueNs
    self.runLoopLateness = runLoopLateness
    self.gcdLateness = gcdLateness
    self.inOtherModes = inOtherModes
  }
}
