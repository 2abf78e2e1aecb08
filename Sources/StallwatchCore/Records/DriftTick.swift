/// One tick of the drift probe: how late a run loop and a GCD timer each served the same moment.
package struct DriftTick: Sendable, Equatable {
  /// The loop that served or dropped it.
  package var loop: LoopID
  /// The tick's number on the grid that all loops share: 0, 1, 2 …
  package var number: UInt64
  /// When it was due, on the monotonic clock in nanoseconds.
  package var dueNs: Nanoseconds
  /// How late the loop served it; nil: the loop dropped it, because it had not served an earlier one by then. Counts
  /// from the due time; where the loop waited then, from the moment at which the probe woke it, because the probe's own
  /// lateness is not the loop's.
  package var runLoopLateness: Nanoseconds?
  /// How late the GCD timer fired, or at rest, where that sleeps, the watchdog woke; nil: the timer dropped it.
  package var gcdLateness: Nanoseconds?
  /// The part of ``runLoopLateness`` in which the loop ran in modes that the probe is not in.
  package var inOtherModes: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(
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

extension DriftTick {
  /// Lateness up to this counts as on time. On a machine at rest, waking a thread takes some tenths of it.
  package static let leastLateness: Nanoseconds = 1 * .millisecond

  /// The part of the loop's lateness in which the control was late, too; 0 for a tick that the loop dropped.
  ///
  /// - Parameter controlServedNs: When the control last served a tick: one that it dropped came due while it was late for
  ///   an earlier one.
  package func machinePart(controlServedNs: Nanoseconds) -> Nanoseconds {
    min(gcdLateness ?? controlServedNs.since(dueNs), runLoopLateness ?? 0)
  }
}
