import StallwatchCore

/// What the watchdog does instead of a look while loops turn as they should: it reads a few words of each and sleeps
/// on. Beside a busy server, whatever it does meets cold caches, and takes its time from the server
/// (tools/judge/servers --apart).
extension Watchdog {
  /// Whether a look would find nothing to do: loops turn, none is held for long, and nothing else is due.
  func isGlanceEnough(_ loops: [WatchedLoop], now: Nanoseconds) -> Bool {
    seesEveryMode && now < schedule.nextTaskNs && !outbox.hasRefused && drift?.rest.isResting != true
      && sampling?.series.isEmpty != false && ledger?.isCrowded != true
      && loops.allSatisfy { isWell($0, now: now) }
      && schedule.hasTurned(loops, queues) && queues.isQuiet(at: now)
  }

  /// Whether a loop is inside a run, has not been held for long, and has nothing for the watchdog but figures.
  private func isWell(_ watched: WatchedLoop, now: Nanoseconds) -> Bool {
    let region = watched.memory.region
    let position = region.position
    return !position.isOutside && position.spanStart.map { now.since($0) < configuration.firstLook } != false
      && hasOnlyFigures(watched) && watched.isAnnounced && !watched.isStalled && !watched.isAway
  }

  /// Whether a loop has nothing for the watchdog but figures. A spell is taken at once, so that a sudden death after a
  /// stall loses nothing.
  func hasOnlyFigures(_ watched: WatchedLoop) -> Bool {
    let region = watched.memory.region
    return !region.hasSpells && !region.threadHasEnded
      && (region.threadID == 0 || watched.modeCount == watched.announcedModes)
  }

  /// Hands on figures if that is due, plans the next look, and sleeps until something is due.
  func glance(at loops: [WatchedLoop], now: Nanoseconds) {
    schedule.noteTurns(of: loops, queues, at: now)
    let flushes = isFlushDue(loops, now: now)
    if flushes { handOn(loops, now: now) }
    schedule.planAfterGlance(loops, now: now)
    // What the witness reads takes longer than the glance. The signs of the last flush or look serve as well: if this
    // thread wakes late because the process was stopped, a little less of that may be excluded.
    if !flushes { witness.noteLife() }
    sleepOn(loops, now: now, signsAreOld: !flushes)
  }
}
