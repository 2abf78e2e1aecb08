/// The run loop's half of the drift probe: no timer, but the loop's own observers.
///
/// A timer in the program's modes would keep them from being empty: a loop that ends would not, and a run in an empty mode
/// would wait. It could not be taken out in time, because CF asks whether a mode is empty right after a callout. So the
/// first heartbeat at or after a tick's due time serves it, in a mode that the probe is in: a timer of that mode would have
/// fired there. A loop that waits is woken for it by the watchdog; a wake-up makes no run return.
extension LoopFold {
  /// Serves the tick that is due, if the probe is in the mode, and sets the next. What came due in between is dropped, as
  /// it would be for a timer. Rare, and kept out of the way of what is not.
  @inline(never)
  func serveTick(in counters: ModeCounters, at now: Nanoseconds) {
    guard let grid, board.isInDrift(mode: counters.index) else { return }
    let due = board.tickDue
    board.ticks.push(ServedTick(dueNs: due, servedNs: now, inOtherModes: timeInOtherModes(from: due, to: now)))
    board.setTick(grid.due(grid.count(until: now)))
  }

  /// The loop comes back from outside any run, where it was since `start`. After an interval or more the ticks that came due
  /// are left out: nobody can say of a thread that did without its loop that the loop was late.
  func skipTicks(outsideSince start: Nanoseconds, at now: Nanoseconds) {
    guard let grid, board.isTickDue(at: now), now.since(start) >= grid.interval else { return }
    let next = grid.due(grid.count(until: now))
    board.ticks.push(ServedTick(dueNs: next, servedNs: nil, inOtherModes: 0))
    board.setTick(next)
  }

  private func timeInOtherModes(from due: Nanoseconds, to now: Nanoseconds) -> Nanoseconds {
    var sum: Nanoseconds = 0
    board.runs.forEach(after: due) { piece in
      if !board.isInDrift(mode: piece.mode) { sum += min(piece.end, now).since(max(piece.start, due)) }
    }
    return sum
  }
}
