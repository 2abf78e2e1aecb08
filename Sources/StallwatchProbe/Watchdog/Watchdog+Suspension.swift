import StallwatchCore

extension Watchdog {
  /// Excludes the time in which the process did not run, as far as this thread's own lateness shows it.
  func judgeSleep(
    from asleep: Nanoseconds, planned: Nanoseconds, woke: Nanoseconds, _ loops: [WatchedLoop]
  ) {
    noteMachineSleep(at: woke)
    guard woke.since(planned) >= SuspensionJudge.minimumLateness else { return }
    let delayed = Platform.threadRunDelay().flatMap { after in runDelay.map { after.since($0) } }
    // A span that began before the planned moment shows that the process ran then; one that began after it, that the
    // process ran again: had it run in between, this thread would have been on time.
    let starts = loops.compactMap { $0.memory.board.sight.spanStart }
    let lastAlive = starts.filter { $0 <= planned }.reduce(asleep, max)
    let aliveAgain = starts.filter { $0 > planned }.reduce(woke, min)
    guard
      let excluded = judge.excluded(lastAlive: lastAlive, planned: planned, woke: aliveAgain, runDelay: delayed)
    else { return }
    exclusions.add(excluded)
    hand(
      .interval(
        IntervalRecord(
          kind: .excluded, loop: nil, startedNs: excluded.lowerBound, endedNs: excluded.upperBound,
          duration: excluded.upperBound - excluded.lowerBound, reason: "stopped")))
  }

  /// A machine's sleep stands still in every duration; it is told so that nobody misses the time.
  private func noteMachineSleep(at now: Nanoseconds) {
    let offset = Platform.sleepOffset()
    let slept = offset.since(sleepOffset)
    // The two clocks are read one after the other: less than a millisecond between them is no sleep.
    guard slept >= .millisecond else { return }
    sleepOffset = offset
    hand(
      .interval(
        IntervalRecord(
          kind: .excluded, loop: nil, startedNs: now, endedNs: now, duration: slept, reason: "machine-sleep")))
  }
}
