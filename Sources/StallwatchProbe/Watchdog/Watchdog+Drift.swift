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
    drained.ticks = region.drainTicks()
    drained.atNs = Platform.now()
    return drained
  }

  /// Pairs a loop's ticks with the control's, and hands on the complete pairs.
  func pair(_ drained: DrainedTicks, of watched: WatchedLoop) {
    guard let drift, watched.drift != nil else { return }
    for tick in drained.ticks { watched.drift?.take(tick, excluding: witness.exclusions) }
    if drained.isInside, !drift.rest.isResting {
      watched.drift?.pairing.drop(at: drained.atNs, excluding: witness.exclusions)
    }
    guard watched.isAnnounced else { return }
    report(drift.release(watched.drift?.pairing.pair(with: drift.control, excluding: witness.exclusions) ?? []))
  }

  /// Hands on the ticks that wait until there are other figures.
  func reportKeptTicks() { report(drift?.takeKept() ?? []) }

  /// Ends the program's rest before its last figures are handed on.
  func endRest() {
    drift?.endRest(of: registry.allLoops, at: Platform.now())
    reportKeptTicks()
  }

  private func report(_ ticks: [DriftTick]) {
    for tick in ticks { outbox.hand(.driftTick(tick)) }
    if !ticks.isEmpty { drift?.hasUnflushedTicks = true }
  }
}
