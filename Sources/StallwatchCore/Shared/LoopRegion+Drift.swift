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

  // MARK: Wake-ups for a tick

  /// Notes that the loop is about to be woken for the tick that is due since `due`. For the watchdog, before the wake-up.
  package func willWake(for due: Nanoseconds) { fields.pointee.wokenFor.release(due) }
  /// Whether the watchdog woke the loop for the tick that comes next. For the loop's thread.
  var isWokenForTick: Bool { fields.pointee.wokenFor.acquire() == tickDue }
  /// Whether the loop is in an iteration that may have been made for a tick alone.
  package var isInTickWake: Bool { fields.pointee.tickWake.acquire() != 0 }
  /// How many activities came that were not made for a tick alone. While that is open for some, they do not count; if
  /// they turn out to be the loop's own, they count from then on.
  package var ownActivities: UInt64 {
    // Read in this order: a wake-up that is over has stored what it hides.
    let open = fields.pointee.tickWake.acquire()
    let hidden = fields.pointee.hiddenActivities.load()
    return (open != 0 ? open &- 1 : activities) &- hidden
  }
  /// Begins such an iteration, whose first activity is the latest counted. For the loop's thread.
  func beginTickWake() { fields.pointee.tickWake.store(activities) }
  /// Ends it, with so many activities that do not count as the loop's own. For the loop's thread.
  func endTickWake(hiding activities: UInt64) {
    fields.pointee.hiddenActivities.add(activities)
    fields.pointee.tickWake.release(0)
  }
  /// Shows that the loop rests as before, as if nothing had come between. For the loop's thread.
  func restOn() { fields.pointee.spanStart.release(0) }
}
