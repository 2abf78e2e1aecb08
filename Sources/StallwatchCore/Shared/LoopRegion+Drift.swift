/// The part of a region that the drift probe uses.
extension LoopRegion {
  /// The number of modes that the probe can be in: one bit each.
  package static let maximumDriftModes = 64

  /// When the loop's next tick is due; the end of time if the probe is off or the loop's ticks have not begun.
  package var tickDue: Nanoseconds { ~fields.pointee.tickDue.acquire() }
  /// Makes the loop serve ticks, beginning with the next of `grid` after `moment`. Call it once, after
  /// ``setDriftModes(_:)``; until then the loop's thread reads the due time and sets none.
  package func beginTicks(of grid: DueGrid, after moment: Nanoseconds) { setTick(grid.due(grid.count(until: moment))) }
  /// Sets the due time of the next tick. For the loop's thread, once its ticks have begun.
  func setTick(_ due: Nanoseconds) { fields.pointee.tickDue.release(~due) }
  /// Whether the next tick is due. An activity checks no more than this.
  @inline(__always)
  func isTickDue(at now: Nanoseconds) -> Bool { now >= ~fields.pointee.tickDue.load() }

  /// Whether the probe is in the mode at this place of the loop's table: a timer of the probe would fire there.
  package func isInDrift(mode: Int) -> Bool {
    mode < Self.maximumDriftModes && fields.pointee.driftModes.load() >> UInt64(mode) & 1 != 0
  }
  /// Sets the modes that the probe is in. Any thread, one at a time.
  package func setDriftModes(_ modes: [Int]) {
    var bits: UInt64 = 0
    for mode in modes where mode < Self.maximumDriftModes { bits |= 1 << UInt64(mode) }
    fields.pointee.driftModes.store(bits)
  }
}
