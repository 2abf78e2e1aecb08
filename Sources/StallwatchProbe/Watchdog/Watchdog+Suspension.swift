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
    // What was excluded already, at a look in the middle of the same pass, is not excluded again.
    let lastAlive = starts.filter { $0 <= planned }.reduce(max(asleep, exclusions.end), max)
    let aliveAgain = starts.filter { $0 > planned }.reduce(woke, min)
    guard
      let excluded = judge.excluded(
        lastAlive: lastAlive, planned: max(planned, exclusions.end), woke: aliveAgain, runDelay: delayed)
    else { return }
    exclusions.add(excluded)
    hand(
      .interval(
        IntervalRecord(
          kind: .excluded, loop: nil, startedNs: excluded.lowerBound, endedNs: excluded.upperBound,
          duration: excluded.upperBound - excluded.lowerBound, reason: "stopped")))
  }

  /// Does what takes its time, waiting for `threads` threads to tell their stacks, and judges afterwards whether the
  /// process ran all the while.
  func judged(_ threads: Int = 1, _ looks: () -> Void) {
    let before = Platform.now()
    looks()
    let after = Platform.now()
    let longest = Nanoseconds(threads) * SamplerConfiguration().patience
    judgeSleep(from: before, planned: before + longest, woke: after, [])
    aliveNs = after
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
