import StallwatchCore
import StallwatchLibc

/// The last records of loops.
extension Watchdog {
  /// Takes the last figures of loops whose threads have ended, and frees their memory for others. All at once, because
  /// one pass over the process's timers finds those of all these loops. Returns whether there were any.
  func endLoops(among known: [WatchedLoop], now: Nanoseconds) -> Bool {
    let over = known.filter(\.memory.region.threadHasEnded)
    guard !over.isEmpty else { return false }
    for watched in over { collectLast(of: watched, now: now) }
    ledger?.end(
      over, at: now, reportImage: { sampling?.reportImage(of: $0, outbox.hand) }, reportLate: lookForUnseenAway,
      outbox.hand)
    for watched in over {
      reportEnd(of: watched, at: watched.memory.region.threadEndedNs ?? now)
      health.noteEnd(of: watched)
    }
    registry.release(over)
    return true
  }

  /// Hands on a loop's totals and its end. This is its last record, after which every table drops it.
  func reportEnd(of watched: WatchedLoop, at now: Nanoseconds) {
    guard watched.isAnnounced, let progress = watched.reader.progress(endedNs: now) else { return }
    outbox.hand(.loopProgress(progress))
  }

  /// Finds stalls that go on when watching ends and whose begin the watchdog was too late to see, and runs in new modes
  /// that it did not see at all. Before the observers go, because it asks for the loops' modes. It samples no thread:
  /// by now the threads are busy ending.
  func lookForLastStalls(at moment: Nanoseconds) {
    for watched in registry.allLoops where !watched.memory.region.threadHasEnded {
      let position = watched.memory.region.position
      let isReported = watched.isStalled
      if !isReported { collect(from: watched, now: Platform.now()) }
      if !seesEveryMode { lookForNewModes(of: watched, position: position, now: moment, isLast: true) }
      guard !isReported, position.spanStart != watched.unseenSpan else { continue }
      let began = watched.tracker.look(
        at: position, excluding: witness.exclusions, now: moment, number: outbox.numberStall,
        annotations: outbox.annotationsNow)
      if let began { report(.stallBegan(began), of: watched) }
    }
  }

  /// Waits while a loop's thread that lost its processor retires counters, but no longer than a usual time slice: what
  /// is not read now is not read at all.
  private func waitForRetirement(of watched: WatchedLoop) {
    for _ in 0..<20 where watched.reader.isRetiring { usleep(1_000) }
  }

  /// Hands on everything that is left of a loop, except its end.
  func collectLast(
    of watched: WatchedLoop, now: Nanoseconds, heldUntil moment: Nanoseconds? = nil, endsLoop: Bool = true
  ) {
    let (position, left) = (watched.memory.region.position, watched.lastLeft)
    collect(from: watched, now: now)
    var tracker = watched.tracker
    // No earlier than the span became a stall.
    let end = moment.map { max($0, tracker.current?.detectedNs ?? 0) } ?? now
    let ended = tracker.reconcile(with: position, excluding: witness.exclusions, now: end, stopping: true)
    // A loop that may go on keeps its open stall, so that the stall does not begin again.
    if endsLoop { watched.tracker = tracker }
    if let ended { report(ended, of: watched) }
    closeAway(of: watched, left: left, now: moment ?? now, endsLoop: endsLoop)
    guard watched.isAnnounced else { return }
    if endsLoop { watched.reader.endWait(at: now) }
    waitForRetirement(of: watched)
    reportProfile(of: watched, at: now)
    for loss in watched.reader.losses() { outbox.hand(.loss(loss)) }
    sampling?.reportProfile(of: watched.id, outbox.hand)
    if !endsLoop, let progress = watched.reader.progress() { outbox.hand(.loopProgress(progress)) }
  }
}
