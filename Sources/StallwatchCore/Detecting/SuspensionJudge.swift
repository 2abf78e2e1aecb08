/// Distinguishes a process that could not run (SIGSTOP, a debugger, a frozen container) from one that was busy, starved
/// or waiting. It holds the evidence: the watchdog passes in the kernel's counts at each moment.
///
/// The watchdog's own lateness only raises the question. The proof of a stop is a thread that never runs: the kernel
/// wakes it only to stop it (``LifeSigns/sleeperCPU``). How much is excluded depends on what the threads did meanwhile:
/// a stop contains neither the watchdog's time on a processor or in its queue, nor a held loop's time on one, nor time
/// between a loop's activities.
package struct SuspensionJudge: Sendable {
  /// The lateness from which the judge looks for a stop. A timer is some 0.1 ms late even on a loaded machine; anything
  /// shorter than this makes no stall.
  package static let minimumLateness: Nanoseconds = 5 * .millisecond
  /// A stop that made the watchdog late began between its last sign of life and the moment at which it was due. The
  /// judge assumes the middle, and at most this long before that moment: half a threshold, because a watchdog that
  /// watches a loop turn or be held never rests longer than a threshold.
  package let longestPrelude: Nanoseconds

  /// The latest moment at which the watchdog is known to have run.
  package private(set) var aliveNs: Nanoseconds
  private var before: LifeSigns

  /// A judge of the time from `signs` on. The watchdog's thread makes all calls.
  package init(from signs: LifeSigns, threshold: Nanoseconds) {
    longestPrelude = threshold / 2
    before = signs
    aliveNs = signs.atNs
  }

  /// Judges from `signs` on. Call it before the watchdog sleeps.
  package mutating func begin(from signs: LifeSigns) {
    before = signs
    aliveNs = signs.atNs
  }

  /// Whether a watchdog that runs at `now` is late enough to ask why. `due` is when it should have run; it lies before
  /// ``aliveNs`` if the watchdog did not mean to rest at all.
  package func isLate(due: Nanoseconds, at now: Nanoseconds) -> Bool {
    now.since(max(due, aliveNs)) >= Self.minimumLateness
  }

  /// Whether the process was stopped since the last signs. If not, a late watchdog waited for something.
  package func wasStopped(by signs: LifeSigns) -> Bool {
    guard let slept = before.sleeperCPU, let woken = signs.sleeperCPU else { return false }
    return woken != slept
  }

  /// Notes that the watchdog is late although the process was not stopped. The held threads' CPU time still counts from
  /// the earlier signs: asking all of them each time would make a busy watchdog later still.
  package mutating func wasDelayed(until signs: LifeSigns) {
    let held = before.held
    begin(from: signs)
    before.held = held
  }

  /// Notes that the watchdog runs and is not late.
  package mutating func ran(at now: Nanoseconds) { aliveNs = max(aliveNs, now) }

  /// Notes that the watchdog woke in time: a stop while it slept is over, and explains no later lateness.
  package mutating func woke(at now: Nanoseconds, sleeperCPU: Nanoseconds?) {
    ran(at: now)
    before.sleeperCPU = sleeperCPU
  }

  /// The interval to exclude from the time since the watchdog last ran; nil unless the process was stopped.
  ///
  /// - Parameters:
  ///   - due: When the watchdog should have run again; before ``aliveNs`` if it did not mean to rest at all.
  ///   - signs: The kernel's counts now. Later calls judge from here.
  ///   - activities: Moments at which watched loops are known to have run, in any order.
  package mutating func excluded(
    due: Nanoseconds, until signs: LifeSigns, activities: [Nanoseconds]
  ) -> Range<Nanoseconds>? {
    let (before, from, until, wasStopped) = (self.before, aliveNs, signs.atNs, wasStopped(by: signs))
    begin(from: signs)
    guard wasStopped, let delayed = before.runDelay, let delayedUntilNow = signs.runDelay else { return nil }
    let runDelay = delayedUntilNow.since(delayed)
    let due = max(due, from)
    let missing = until.since(due).since(runDelay).since(signs.cpu.since(before.cpu))
    guard missing >= Self.minimumLateness else { return nil }
    let silence = Self.longestSilence(from: from, to: until, activities)
    let prelude = min(due.since(silence.lowerBound) / 2, longestPrelude)
    let room = (until - from).since(signs.heldCPU(since: before))
    let length = min(missing + prelude, room, UInt64(silence.count))
    // The wait for a processor came after the stop, when every thread wanted to go on.
    let end = silence.upperBound == until ? until.since(runDelay) : silence.upperBound
    let start = max(silence.lowerBound, end.since(length))
    return length > 0 ? start..<start + length : nil
  }

  /// The longest time between two moments of life; the stop lies in it.
  private static func longestSilence(
    from: Nanoseconds, to until: Nanoseconds, _ activities: [Nanoseconds]
  ) -> Range<Nanoseconds> {
    var longest = from..<from
    var last = from
    for moment in activities.filter({ from < $0 && $0 < until }).sorted() + [until] {
      if moment - last > longest.count { longest = last..<moment }
      last = moment
    }
    return longest
  }
}
