/// The run loop's half of the drift probe. It uses the loop's own observers, no timer.
///
/// A timer in the program's modes would keep them from being empty: a loop that ends would not, and a run in an empty
/// mode would wait. The probe could not remove the timer in time, because CF asks whether a mode is empty right after a
/// callout. So the first heartbeat at or after a tick's due time serves it, in a mode that the probe is in: a timer of
/// that mode would have fired there. So does the end of the run, because a timer would have kept it going until then.
/// The watchdog wakes a waiting loop for its tick; a wake-up makes no run return.
extension LoopFold {
  /// Serves the due tick, if the probe is in the mode, and sets the next. Ticks that came due in between are dropped,
  /// as a timer's would be. Not inlined, because it is rare.
  @inline(never)
  func serveTick(in counters: ModeCounters, at now: Nanoseconds) {
    guard let grid, region.isInDrift(mode: counters.index) else { return }
    let due = region.tickDue
    region.ticks.push(ServedTick(dueNs: due, servedNs: now, inOtherModes: timeInOtherModes(from: due, to: now)))
    region.setTick(grid.due(grid.count(until: now)))
  }

  /// Skips the ticks that came due while the loop was outside any run, from `start` to `now`, if that lasted an
  /// interval or more: the loop is not late for a thread that did without it.
  func skipTicks(outsideSince start: Nanoseconds, at now: Nanoseconds) {
    guard let grid, region.isTickDue(at: now), now.since(start) >= grid.interval else { return }
    let next = grid.due(grid.count(until: now))
    region.ticks.push(ServedTick(dueNs: next, servedNs: nil, inOtherModes: 0))
    region.setTick(next)
  }

  private func timeInOtherModes(from due: Nanoseconds, to now: Nanoseconds) -> Nanoseconds {
    var sum: Nanoseconds = 0
    region.runs.forEach(after: due) { piece in
      if !region.isInDrift(mode: piece.mode) { sum += min(piece.end, now).since(max(piece.start, due)) }
    }
    return sum
  }
}
