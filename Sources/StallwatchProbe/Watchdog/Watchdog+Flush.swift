import StallwatchCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Watchdog {
  /// Hands a record to the recorder. If that has no room, keeps a record that is offered again for later.
  func hand(_ record: Record) {
    // Refused figures block the records after them, because a loop's end must come after its figures.
    if refused.isEmpty || !record.isOfferedAgain, recorder.take(record) { return }
    guard record.isOfferedAgain else { return }
    if refused.count < Self.mostRefused { return refused.append(record) }
    lostRecords = lostRecords.saturatingAdd(1)
  }

  /// Whether any loop has turned, or is held, since the last flush.
  func hasUnflushedActivity(_ loops: [WatchedLoop]) -> Bool {
    activities(of: loops) != flushedActivities || loops.contains { $0.tracker.current != nil }
  }

  func isFlushDue(_ loops: [WatchedLoop], now: Nanoseconds) -> Bool {
    now.since(lastFlush) >= configuration.flushInterval
      && (hasUnflushedActivity(loops) || !refused.isEmpty || drift?.hasUnflushedTicks == true
        || nextAwayFlush(loops, at: now).map { now >= $0 } ?? false)
  }

  /// Hands on the growth of all figures.
  func flush(_ loops: [WatchedLoop], now: Nanoseconds) {
    lastFlush = now
    offerAgain()
    hand(.health(health(of: loops, at: now)))
    // The later figures would not contain what was refused, so this reads no more before there is room.
    guard refused.isEmpty else { return }
    flushedActivities = activities(of: loops)
    drift?.hasUnflushedTicks = false
    if drift?.areModesDue(at: now) == true { registry.lookForCommonModes() }
    tellLosses()
    sampling?.flush(at: now, hand)
    for watched in loops where watched.isAnnounced {
      if !seesEveryMode { attachNewModes(of: watched) }
      for delta in watched.reader.deltas(at: now) { hand(.profile(delta)) }
      for loss in watched.reader.losses() { hand(.loss(loss)) }
      if let progress = watched.reader.progress() { hand(.loopProgress(progress)) }
    }
    flushTimers(of: loops, at: now)
  }

  /// The most records kept for a recorder without room: enough for the loops that end at one time, or twice the most
  /// timers. Further records are lost, and counted.
  private static let mostRefused = 8_192
  /// How long to offer the last records: half of what stopping waits for this thread.
  private static let lastOffers = 1 * Nanoseconds.second
  private static let lastPauseMicroseconds: UInt32 = 1_000

  private func offerAgain() {
    let again = refused
    refused = []
    for record in again { hand(record) }
  }

  /// Offers refused records until there is room or time is over, because nobody does so later.
  private func offerLast() {
    let end = Platform.now() + Self.lastOffers
    while !refused.isEmpty, Platform.now() < end {
      usleep(Self.lastPauseMicroseconds)
      offerAgain()
    }
    (lostRecords, refused) = (lostRecords.saturatingAdd(UInt64(refused.count)), [])
  }

  private func tellLosses() {
    for loss in registry.losses() { hand(.loss(loss)) }
    guard lostRecords > 0, refused.isEmpty else { return }
    let lost = lostRecords
    lostRecords = 0
    hand(.loss(LossRecord(what: "records", loop: nil, count: lost)))
  }

  func flushTimers(of loops: [WatchedLoop], at now: Nanoseconds) {
    ledger?.flush(
      loops, at: now, tellImage: { sampling?.tellImage(of: $0, hand) }, tellLate: lookForUnseenAway, hand)
  }

  /// The last pass: removes the observers, then hands on everything that is left.
  func finish(at moment: Nanoseconds) {
    lookForLastAways(at: moment)
    lookForLastStalls(at: moment)
    registry.close()
    ledger?.finish(registry.allLoops, at: Platform.now())
    tellAll(isLast: true, heldUntil: moment)
    ledger?.releaseAll()
  }

  /// Hands on everything that is left, at the end of watching or of the process. If the process fails to become another
  /// program, it goes on, and so does watching. A hold counts until `moment`, not while its thread waits for this.
  func tellAll(isLast: Bool, heldUntil moment: Nanoseconds) {
    let now = Platform.now()
    let loops = registry.allLoops
    drift?.takeControl(loops, at: now)
    offerAgain()
    for watched in loops { settleLast(of: watched, now: now, heldUntil: moment, endsLoop: isLast) }
    flushTimers(of: loops, at: now)
    if isLast { for watched in loops { tellEnd(of: watched, at: now) } }
    sampling?.flush(at: now, hand)
    if isLast {
      sampling?.stop()
      drift?.stop()
    }
    if isLast { offerLast() }
    tellLosses()
    hand(.health(health(of: loops, at: now)))
  }

  /// Whether every loop waits or is outside any run.
  func isIdle(_ loops: [WatchedLoop]) -> Bool {
    loops.allSatisfy { $0.memory.region.position.spanStart == nil }
  }

  /// Activities of all loops, without wake-ups for ticks: with them, the drift probe would keep itself awake.
  func activities(of loops: [WatchedLoop]) -> UInt64 {
    loops.reduce(0) { sum, watched in
      let activities = watched.memory.region.activities
      return sum &+ (watched.drift?.withoutWakes(activities) ?? activities)
    }
  }

  private func health(of loops: [WatchedLoop], at now: Nanoseconds) -> HealthRecord {
    HealthRecord(
      atNs: now, observerTotal: loops.reduce(endedObserverTotal) { $0.saturatingAdd($1.memory.region.observerTotal) },
      monitorCPU: Platform.threadCPU().saturatingAdd(otherCPU()), wakeups: wakeups,
      driftWakeups: drift?.wakeups ?? 0, watchdogLateness: lateness.delta(),
      signalObstacle: sampling?.obstacle)
  }
}
