import StallwatchCore

/// Takes, pairs and hands on the ticks of the drift probe.
extension Watchdog {
  /// The ticks that a loop's thread has served since the last look.
  struct DrainedTicks {
    /// Whether the loop was inside a run, asked before draining: its thread has then queued everything it skipped.
    var isInside = false
    var ticks: [ServedTick] = []
    var atNs: Nanoseconds = 0
  }

  /// Empties the loop's queue of ticks.
  func drainTicks(of watched: WatchedLoop) -> DrainedTicks {
    guard watched.drift != nil else { return DrainedTicks() }
    let region = watched.memory.region
    var drained = DrainedTicks(isInside: !region.position.isOutside)
    drained.ticks = region.ticks.drain()
    drained.atNs = Platform.now()
    return drained
  }

  /// Pairs a loop's ticks with the control's, and hands on the complete pairs.
  func pair(_ drained: DrainedTicks, of watched: WatchedLoop) {
    guard let drift, var own = watched.drift else { return }
    for tick in drained.ticks {
      own.take(tick, excluding: witness.exclusions)
    }
    if drained.isInside { own.pairing.drop(at: drained.atNs, excluding: witness.exclusions) }
    let told = watched.isAnnounced ? own.pairing.pair(with: drift.control, excluding: witness.exclusions) : []
    watched.drift = own
    for tick in told { teller.hand(.driftTick(tick)) }
    if !told.isEmpty { drift.hasUnflushedTicks = true }
  }
}
