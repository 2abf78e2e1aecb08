import StallwatchCore

/// The last records of loops.
extension Watchdog {
  /// Threads of loops have ended: their last figures, then their memory serves again. All at once, because the timers of
  /// the process are looked through for those of these loops.
  func endLoops(among known: [WatchedLoop], now: Nanoseconds) {
    let over = known.filter(\.memory.board.threadHasEnded)
    guard !over.isEmpty else { return }
    for watched in over { settleLast(of: watched, now: now) }
    ledger?.end(
      over, at: now, tellImage: { sampling?.tellImage(of: $0, hand) }, tellLate: lookForUnseenAway, hand)
    for watched in over {
      tellEnd(of: watched, at: watched.memory.board.threadEndedNs ?? now)
      endedObserverTotal = endedObserverTotal.saturatingAdd(watched.memory.board.observerTotal)
    }
    registry.release(over)
  }

  /// Hands on what a loop did in all, and that it is over. Its last record: it then leaves every table.
  func tellEnd(of watched: WatchedLoop, at now: Nanoseconds) {
    guard watched.isAnnounced, let progress = watched.reader.progress(endedNs: now) else { return }
    hand(.loopProgress(progress))
  }

  /// Stalls that go on when watching ends, and that this thread was too late to see begin. Before observers are removed:
  /// the loops' modes are asked for. Threads are not looked at: what they do by now is to end it.
  func lookForLastStalls(at moment: Nanoseconds) {
    for watched in registry.allLoops where watched.tracker.current == nil && !watched.memory.board.threadHasEnded {
      let sight = watched.memory.board.sight
      settle(watched, now: Platform.now())
      if !seesEveryMode { lookForNewModes(of: watched, sight: sight, now: moment) }
      guard sight.spanStart != watched.unseenSpan else { continue }
      let began = watched.tracker.look(
        at: sight, excluding: exclusions, now: moment, number: numberStall, annotations: annotations)
      if let began { tell(.stallBegan(began), of: watched) }
    }
  }

  /// Hands on everything that is left of a loop, except its end.
  func settleLast(
    of watched: WatchedLoop, now: Nanoseconds, heldUntil moment: Nanoseconds? = nil, endsLoop: Bool = true
  ) {
    let (sight, left) = (watched.memory.board.sight, lastLeft(of: watched))
    settle(watched, now: now)
    var tracker = watched.tracker
    // No earlier than it became a stall.
    let end = moment.map { max($0, tracker.current?.detectedNs ?? 0) } ?? now
    let ended = tracker.reconcile(with: sight, excluding: exclusions, now: end, stopping: true)
    // A loop that may yet go on keeps its open stall, so that it does not begin again.
    if endsLoop { watched.tracker = tracker }
    if let ended { tell(ended, of: watched) }
    settleAway(of: watched, left: left, now: moment ?? now, endsLoop: endsLoop)
    guard watched.isAnnounced else { return }
    if endsLoop { watched.reader.endWait(at: now) }
    for delta in watched.reader.deltas(at: now) { hand(.profile(delta)) }
    for loss in watched.reader.losses() { hand(.loss(loss)) }
    sampling?.tellProfile(of: watched.id, hand)
    if !endsLoop, let progress = watched.reader.progress() { hand(.loopProgress(progress)) }
  }
}
