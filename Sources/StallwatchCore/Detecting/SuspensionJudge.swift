/// Tells a process that could not run (SIGSTOP, a debugger, a frozen container) from one that was busy, starved or waited
/// for something. It owns the evidence: the watchdog gives it what the kernel had counted at each moment.
///
/// The watchdog's own lateness only raises the question. A stop is proved by a thread that never runs: the kernel wakes it
/// for one purpose, to stop it (``LifeSigns/sleeperCPU``). How much is excluded follows from what the threads did
/// meanwhile: neither the watchdog's time on a processor or in its queue, nor a held loop's time on one, nor time between
/// a loop's activities can belong to a stop.
public struct SuspensionJudge: Sendable {
  /// Lateness from which a stop is looked for. A timer's own lateness is some 0.1 ms even on a loaded machine; what is
  /// shorter makes no stall.
  public static let minimumLateness: Nanoseconds = 5 * .millisecond
  /// A stop that made the watchdog late began between the last sign of life and the moment at which it was due. It is
  /// taken to have begun in the middle, and at most this long before that moment: half a threshold, because a watchdog that
  /// watches a loop turn or be held never rests for longer than a threshold.
  public let longestPrelude: Nanoseconds

  /// The latest moment at which the watchdog is known to have run.
  public private(set) var aliveNs: Nanoseconds
  private var before: LifeSigns

  /// A judge of the time from `signs` on. The watchdog's thread, as all calls.
  public init(from signs: LifeSigns, threshold: Nanoseconds) {
    longestPrelude = threshold / 2
    before = signs
    aliveNs = signs.atNs
  }

  /// Judges by how `signs` grow from now on: before the watchdog sleeps.
  public mutating func begin(from signs: LifeSigns) {
    before = signs
    aliveNs = signs.atNs
  }

  /// Whether a watchdog that runs at `now` is late enough to ask why: it was due at `due`, or before ``aliveNs`` where it
  /// did not mean to rest at all.
  public func isLate(due: Nanoseconds, at now: Nanoseconds) -> Bool {
    now.since(max(due, aliveNs)) >= Self.minimumLateness
  }

  /// Whether the process was stopped since the last signs. Where it was not, a watchdog that is late waited for something.
  public func wasStopped(by signs: LifeSigns) -> Bool {
    guard let slept = before.sleeperCPU, let woken = signs.sleeperCPU else { return false }
    return woken != slept
  }

  /// The watchdog is late, and the process was not stopped. What held threads had used is still counted from the earlier
  /// signs: asking all of them again each time would make a busy watchdog later still.
  public mutating func wasDelayed(until signs: LifeSigns) {
    let held = before.held
    begin(from: signs)
    before.held = held
  }

  /// The watchdog runs and is not late.
  public mutating func ran(at now: Nanoseconds) { aliveNs = max(aliveNs, now) }

  /// The watchdog woke in time: what stopped the process while it slept is over, and explains no later lateness.
  public mutating func woke(at now: Nanoseconds, sleeperCPU: Nanoseconds?) {
    ran(at: now)
    before.sleeperCPU = sleeperCPU
  }

  /// The interval to exclude from the time since the watchdog last ran; nil unless the process was stopped.
  ///
  /// - Parameters:
  ///   - due: When the watchdog should have run again; before ``aliveNs`` where it did not mean to rest at all.
  ///   - signs: What the kernel has counted now. What follows is judged from here.
  ///   - activities: Moments at which watched loops are known to have run, in any order.
  public mutating func excluded(
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
    // What a processor was waited for came after the stop, when everybody wanted to go on.
    let end = silence.upperBound == until ? until.since(runDelay) : silence.upperBound
    let start = max(silence.lowerBound, end.since(length))
    return length > 0 ? start..<start + length : nil
  }

  /// The longest time between two moments of life: the stop lies in it.
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
