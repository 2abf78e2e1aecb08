import StallwatchCore

/// When a thread left its last run, and that run's mode.
struct LoopLeft {
  let atNs: Nanoseconds
  let mode: Int
}

/// What the watchdog knows of a thread's stay outside any run, beside its ``AwayTracker``.
struct OutsideStay {
  /// When the thread left its last run.
  let leftNs: Nanoseconds
  /// How far the wall clock was ahead of the monotonic one then.
  let wallOffset: UInt64
  /// When the watchdog looks next for due work.
  var nextLookNs: Nanoseconds
}

extension WatchedLoop {
  /// When the loop's thread left its last run; nil inside a run, and before the first.
  var lastLeft: LoopLeft? {
    let region = memory.region
    let (before, left, after) = (region.position, region.restStart, region.position)
    return before.isOutside && after.isOutside && left != 0 ? LoopLeft(atNs: left, mode: after.mode) : nil
  }
}

/// Finds threads that stay away from their loops while something is due there. It does not look at a loop that has
/// never run: nobody can tell whether its thread means to run it.
extension Watchdog {
  /// Whether there may be anything for ``lookForAway(of:left:_:now:isLast:)`` to do.
  func isAwayToBeSought(of watched: WatchedLoop, left: LoopLeft?, now: Nanoseconds) -> Bool {
    guard let left else { return watched.isAway || watched.outside != nil }
    return watched.outside.map { $0.leftNs != left.atNs || now >= $0.nextLookNs } ?? true
  }

  /// Looks at a loop that may be outside any run, if a look is due; `isLast` makes it due. `left` is what
  /// ``WatchedLoop/lastLeft`` gave before the loop's spells were taken: if the thread has returned since, the next
  /// spell has the moment.
  func lookForAway(
    of watched: WatchedLoop, left: LoopLeft?, _ tracker: inout AwayTracker, now: Nanoseconds, isLast: Bool = false
  ) {
    let over = tracker.reconcile(
      leftNs: left?.atNs, excluding: witness.exclusions, now: now, number: outbox.numberStall,
      annotations: outbox.annotationsNow)
    for record in over { report(record, of: watched) }
    guard let left, watched.isAnnounced else { return watched.outside = nil }
    if watched.outside?.leftNs != left.atNs {
      watched.outside = OutsideStay(
        leftNs: left.atNs, wallOffset: Self.wallOffset(),
        nextLookNs: left.atNs + configuration.firstLook)
    }
    guard let stay = watched.outside, isLast || now >= stay.nextLookNs else { return }
    // Nil if the thread runs its loop after all, which the next look at the loop shows, or if CF's loop is released.
    let look = look(atDue: watched, mode: left.mode, stay, now: now)
    if let look {
      let reported = tracker.look(
        leftNs: left.atNs, mode: left.mode, due: look.due, excluding: witness.exclusions, now: now,
        number: outbox.numberStall,
        annotations: outbox.annotationsNow)
      if let reported { report(reported, of: watched) }
    }
    if let since = tracker.sinceNs, !isLast { sample(watched, awaySince: since, stall: tracker.current, stay) }
    watched.outside?.nextLookNs = nextLook(of: watched, tracker, stay, nextTimer: look?.nextTimerNs, now: now)
  }

  /// Finds an away at which this thread had no processor to look, by a timer that it made late.
  func lookForUnseenAway(of watched: WatchedLoop, dueNs: Nanoseconds, firedNs: Nanoseconds, modes: UInt64) {
    var tracker = watched.away
    let found = tracker.take(
      late: dueNs, firedNs: firedNs, modes: modes, excluding: witness.exclusions, now: Platform.now(),
      number: outbox.numberStall,
      annotations: outbox.annotationsNow)
    watched.away = tracker
    for record in found { report(record, of: watched) }
  }

  /// The last look for due work, at the end of watching, while CF's loops can still be asked.
  func lookForLastAways(at now: Nanoseconds) {
    for watched in registry.loops {
      let left = watched.lastLeft
      collect(from: watched, now: Platform.now())
      var away = watched.away
      lookForAway(of: watched, left: left, &away, now: now, isLast: true)
      watched.away = away
    }
  }

  /// Closes the away of a loop that is outside any run, at the end of watching or of its thread. The main thread ends
  /// with the process; any other has simply finished its work.
  func closeAway(of watched: WatchedLoop, left: LoopLeft?, now: Nanoseconds, endsLoop: Bool) {
    // A loop that may go on keeps its open away, so that the away does not begin again.
    var tracker = watched.away
    if watched.memory.region.threadHasEnded, !watched.isMain {
      if let record = tracker.cancel(reason: "its thread has ended", at: now) { report(record, of: watched) }
    } else {
      lookForAway(of: watched, left: left, &tracker, now: now, isLast: true)
      let ended = tracker.reconcile(
        leftNs: nil, excluding: witness.exclusions, now: now, stopping: true, number: outbox.numberStall,
        annotations: outbox.annotationsNow)
      for record in ended { report(record, of: watched) }
    }
    if endsLoop { watched.away = tracker }
  }

  // MARK: -

  /// How far the wall clock is ahead of the monotonic one. Uses the reading with the shortest time between its two
  /// monotonic reads, because this thread may lose its processor in between.
  private static func wallOffset() -> UInt64 {
    let readings = (0..<4).map { _ in
      let (before, wall, after) = (Platform.now(), Platform.wallClock(), Platform.now())
      return (offset: wall &- before, gap: after - before)
    }
    return readings.min { $0.gap < $1.gap }?.offset ?? 0
  }

  private func look(atDue watched: WatchedLoop, mode: Int, _ stay: OutsideStay, now: Nanoseconds) -> DueWork.Look? {
    let modes = watched.modes
    guard mode < modes.count else { return nil }
    let looked = watched.withLoop { loop in
      DueWork.look(at: loop, mode: modes[mode].name, isMain: watched.isMain, wallOffset: stay.wallOffset, now: now)
    }
    return looked ?? nil
  }

  private func sample(
    _ watched: WatchedLoop, awaySince since: Nanoseconds, stall: StallBegan?, _ stay: OutsideStay
  ) {
    let region = watched.memory.region
    let hold = HeldThread(watched, startedNs: since, stall: stall) {
      region.position.isOutside && region.restStart == stay.leftNs
    }
    sample(hold)
  }

  /// When to look again. With an away: at its next sample or deadline. With nothing due: when the next timer will have
  /// been due for long enough, and now and then, because the program may add a timer or queue work at any time.
  private func nextLook(
    of watched: WatchedLoop, _ tracker: AwayTracker, _ stay: OutsideStay, nextTimer: Nanoseconds?, now: Nanoseconds
  ) -> Nanoseconds {
    let pause = min(
      max(now.since(stay.leftNs) / ProbeConfiguration.awayShare, configuration.threshold),
      ProbeConfiguration.longestAwayPause)
    guard let since = tracker.sinceNs else {
      return min(nextTimer.map { $0 + configuration.firstLook } ?? .max, now + pause)
    }
    let deadline = tracker.deadline(excluding: witness.exclusions, at: now)
    let sample = sampling?.nextLook(at: watched.id, heldFrom: since)?.lowerBound
    return max(min(deadline ?? .max, sample ?? .max, now + pause), now + 1)
  }
}
