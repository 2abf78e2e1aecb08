import StallwatchCore

/// Hands on figures: now and then, at a process's end, and in the last pass.
extension Watchdog {
  /// Whether figures are to be handed on now.
  func isFlushDue(_ loops: [WatchedLoop], now: Nanoseconds) -> Bool {
    let hasMore = outbox.hasRefused || drift?.hasUnflushedTicks == true || queues.hasFigures
    return schedule.isFlushDue(loops, hasMore: hasMore, now: now)
  }

  /// Whether the watchdog is awake for nothing but to hand on figures, as it mostly is while loops turn: no look is due,
  /// and no loop has anything for it. The end of a queue's delay is taken at once, as spells are.
  func canOnlyFlush(_ loops: [WatchedLoop], now: Nanoseconds) -> Bool {
    seesEveryMode && now < schedule.nextLookNs && !outbox.hasRefused && isFlushDue(loops, now: now)
      && !queues.hasDelay && loops.allSatisfy(hasOnlyFigures)
  }

  /// Hands on figures, and the ticks that waited for them.
  func handOn(_ loops: [WatchedLoop], now: Nanoseconds) {
    reportKeptTicks()
    flush(loops, now: now)
  }

  /// Hands on the growth of all figures.
  func flush(_ loops: [WatchedLoop], now: Nanoseconds) {
    let isWhole = schedule.beginFlush(at: now)
    let begun = Platform.threadCPU()
    outbox.offerAgain()
    defer {
      // Last, because the recorder takes it as the end of the flush.
      reportHealth(of: loops, at: now, isWhole: isWhole)
      schedule.pace.noteFlush(cpu: health.ownCPU.since(begun))
      if isWhole {
        schedule.pace.endPeriod(
          at: now, recorderCPU: health.recorder.flushCPU, processCPU: Platform.processCPU(), idle: Platform.idleTime())
      }
    }
    // The later figures would not contain what was refused, so this reads no more before there is room.
    guard !outbox.hasRefused else { return }
    schedule.noteFigures(of: loops)
    drift?.hasUnflushedTicks = false
    if isWhole { beginWholeFlush(at: now) }
    retirementTurns.begin(at: now)
    for watched in loops where watched.isAnnounced {
      if isWhole, !seesEveryMode { attachNewModes(of: watched) }
      reportProfile(of: watched, at: now)
      if retirementTurns.isTurn(of: watched.id) { watched.reader.askForRetirements() }
      for loss in watched.reader.losses() { outbox.hand(.loss(loss)) }
      if let progress = watched.reader.progress() { outbox.hand(.loopProgress(progress)) }
    }
    flushQueues(at: now)
    if isWhole { flushTimers(of: loops, at: now) } else { ledger?.flushGrowth(loops, at: now, outbox.hand) }
  }

  private func beginWholeFlush(at now: Nanoseconds) {
    if drift?.areModesDue(at: now) == true { registry.lookForCommonModes() }
    outbox.report(registry.losses())
    outbox.report(queues.takeLosses())
    sampling?.flush(at: now, outbox.hand)
  }

  /// Hands on the growth of a loop's profile.
  func reportProfile(of watched: WatchedLoop, at now: Nanoseconds) {
    let deltas = watched.reader.deltas(at: now, excluding: witness.exclusions, unseenSpan: watched.unseenSpan)
    for delta in deltas { outbox.hand(.profile(delta)) }
    for mode in watched.reader.takeEmptied() { watched.memory.giveBackRetired(at: mode) }
  }

  /// Hands on the growth of the timers' figures.
  func flushTimers(of loops: [WatchedLoop], at now: Nanoseconds) {
    ledger?.flush(
      loops, at: now, reportImage: { sampling?.reportImage(of: $0, outbox.hand) }, reportLate: lookForUnseenAway,
      outbox.hand)
  }

  /// The last pass: removes the observers, then hands on everything that is left.
  func finish(at moment: Nanoseconds) {
    lookForLastAways(at: moment)
    lookForLastStalls(at: moment)
    registry.close()
    ledger?.finish(registry.allLoops, at: Platform.now())
    reportAll(isLast: true, heldUntil: moment)
    ledger?.releaseAll()
  }

  /// Hands on everything that is left, at the end of watching or of the process. If the process fails to become another
  /// program, it goes on, and so does watching. A hold counts until `moment`, not while its thread waits for this.
  func reportAll(isLast: Bool, heldUntil moment: Nanoseconds) {
    let now = Platform.now()
    let loops = registry.allLoops
    drift?.takeFires()
    drift?.startControl(loops, at: now)
    outbox.offerAgain()
    for watched in loops { collectLast(of: watched, now: now, heldUntil: moment, endsLoop: isLast) }
    flushTimers(of: loops, at: now)
    reportQueues(at: now, isLast: isLast)
    if isLast { for watched in loops { reportEnd(of: watched, at: now) } }
    sampling?.flush(at: now, outbox.hand)
    if isLast {
      sampling?.stop()
      drift?.stop()
      outbox.offerLast()
    }
    outbox.report(registry.losses())
    reportHealth(of: loops, at: now, isWhole: true)
  }

  private func reportHealth(of loops: [WatchedLoop], at now: Nanoseconds, isWhole: Bool) {
    if isWhole { health.note(recorderCost()) }
    outbox.hand(
      .health(
        health.record(
          of: loops, at: now, withLateness: isWhole, driftWakeups: drift?.wakeups ?? 0,
          signalObstacle: sampling?.obstacle)))
  }
}
