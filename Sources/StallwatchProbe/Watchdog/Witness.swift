import StallwatchCore

/// The evidence that the process ran, and the time excluded because it could not. Used on the watchdog's thread only.
final class Witness {
  /// The time in which the process could not run.
  private(set) var exclusions = Exclusions()
  private var judge: SuspensionJudge
  /// Shows that the process was stopped; nil before ``begin()``, and where the system has none.
  private var sleeper: Sleeper?
  /// By how much the clock that counts a machine's sleep was ahead of the monotonic one.
  private var sleepOffset: Nanoseconds = 0
  private let registry: LoopRegistry
  private let outbox: RecordOutbox
  /// What ``noteWaking(due:)`` read last of the thread that never runs, and when; nil: no such reading.
  private var woken: (atNs: Nanoseconds, sleeperCPU: Nanoseconds?)?
  /// For how long that may stand for a new reading: a stop in so short a pass makes nobody late.
  private static let shortPass = 1 * Nanoseconds.millisecond
  /// This thread's run delay when the kernel was last asked for it, and how it has lived since.
  private var ownDelay = OwnRunDelay()

  /// A witness of the loops of `registry` that hands what it excludes to `outbox`; `threshold` in nanoseconds.
  init(registry: LoopRegistry, outbox: RecordOutbox, threshold: Nanoseconds) {
    self.registry = registry
    self.outbox = outbox
    judge = SuspensionJudge(
      from: LifeSigns(atNs: Platform.now(), cpu: 0, runDelay: nil, sleeperCPU: nil), threshold: threshold)
  }

  /// Begins on the watchdog's thread, whose counts it reads.
  func begin() {
    sleepOffset = Platform.sleepOffset()
    sleeper = Sleeper()
    beginAnew()
  }

  /// Judges nothing of what was before.
  func beginAnew() { judge.begin(from: lifeSigns(of: [])) }

  /// Ends what it holds: a thread and a descriptor.
  func end() {
    sleeper?.end()
    ownDelay.rest()
  }

  /// When the watchdog's thread was last known to run.
  var aliveNs: Nanoseconds { judge.aliveNs }

  /// Notes that this thread runs, as it did all along, or was due to do from `due` on. Excludes the time in which it
  /// could not because the process was stopped.
  func noteLife(due: Nanoseconds = 0) {
    let now = Platform.now()
    if judge.isLate(due: due, at: now) { judgeLateness(due: due) } else { judge.ran(at: now) }
  }

  /// Runs `looks`, which may take its time because `threads` threads each answer with their stack.
  func judged(_ threads: Int = 1, _ looks: () -> Void) {
    noteLife()
    let longest = Nanoseconds(threads) * SamplerConfiguration().patience
    let due = Platform.now() + longest
    looks()
    noteLife(due: due)
  }

  /// Notes that this thread is about to sleep: what the kernel counts from here on judges its lateness.
  func noteRest(_ loops: [WatchedLoop]) {
    let signs = lifeSigns(of: loops, beforeRest: true)
    if judge.isLate(due: 0, at: signs.atNs) {
      exclude(due: 0, until: lifeSigns(of: loops))
    } else {
      judge.begin(from: signs)
    }
  }

  /// Notes that this thread is about to sleep until something happens, which may be for long.
  func notePark(_ loops: [WatchedLoop]) {
    noteRest(loops)
    ownDelay.rest()
  }

  /// Notes that this thread woke from a sleep that was to end at `due`. `signsAreOld`: ``noteRest(_:)`` was called not
  /// before this sleep, but before an earlier one. A sleep of the machine then shows at a later waking.
  func noteWaking(due: Nanoseconds, signsAreOld: Bool = false) {
    if signsAreOld {
      let now = Platform.now()
      ownDelay.slept(from: judge.aliveNs, due: due, until: now)
      woken = nil
      return judge.isLate(due: due, at: now) ? judgeLateness(due: due) : judge.ran(at: now)
    }
    // Read before the time: a stop between the two then makes this thread late.
    let sleeperCPU = sleeper?.cpu
    let now = Platform.now()
    noteMachineSleep(at: now)
    ownDelay.slept(from: judge.aliveNs, due: due, until: now)
    if judge.isLate(due: due, at: now) {
      judgeLateness(due: due)
    } else {
      judge.woke(at: now, sleeperCPU: sleeperCPU)
      woken = (now, sleeperCPU)
    }
  }

  // MARK: -

  /// Judges why this thread is late. Asks all threads what they did only if the process was stopped.
  private func judgeLateness(due: Nanoseconds) {
    let signs = lifeSigns(of: [])
    guard judge.wasStopped(by: signs) else { return judge.wasDelayed(until: signs) }
    exclude(due: due, until: lifeSigns(of: registry.loops, isLate: true))
  }

  private func exclude(due: Nanoseconds, until signs: LifeSigns) {
    let regions = registry.loops.map(\.memory.region)
    let activities = regions.map(\.restStart) + regions.compactMap(\.position.spanStart)
    guard let excluded = judge.excluded(due: due, until: signs, activities: activities) else { return }
    exclusions.add(excluded)
    outbox.hand(
      .interval(
        IntervalRecord(
          kind: .excluded, loop: nil, startedNs: excluded.lowerBound, endedNs: excluded.upperBound,
          duration: excluded.upperBound - excluded.lowerBound, reason: "stopped")))
  }

  /// The kernel's counts for this thread, for the one that never runs, and for the threads of held loops, or of all
  /// loops if `isLate`, which includes those that were held earlier. If `beforeRest`, this thread's run delay may be a
  /// little below the true one, and the sleeper's count from a moment ago.
  private func lifeSigns(of loops: [WatchedLoop], isLate: Bool = false, beforeRest: Bool = false) -> LifeSigns {
    defer { woken = nil }
    var signs = LifeSigns(atNs: 0, cpu: 0, runDelay: nil, sleeperCPU: nil)
    // If a stop came between the readings, they belong to no one moment.
    for _ in 0..<3 {
      let began = Platform.now()
      if beforeRest, let woken, began.since(woken.atNs) <= Self.shortPass {
        signs.sleeperCPU = woken.sleeperCPU
      } else {
        signs.sleeperCPU = sleeper?.cpu
      }
      signs.cpu = Platform.threadCPU()
      signs.runDelay = ownDelay.read(at: began, cpu: signs.cpu, mayReuse: beforeRest)
      signs.atNs = Platform.now()
      if signs.atNs - began < SuspensionJudge.minimumLateness { break }
    }
    for region in loops.lazy.map(\.memory.region) where isLate || region.position.spanStart != nil {
      signs.held[region.threadID] = Platform.cpu(ofThread: region.threadID)
    }
    return signs
  }

  /// A machine's sleep does not show in any duration; this record accounts for the missing time.
  private func noteMachineSleep(at now: Nanoseconds) {
    let offset = Platform.sleepOffset()
    let slept = offset.since(sleepOffset)
    // The two clocks are read one after the other: less than a millisecond between them is no sleep.
    guard slept >= .millisecond else { return }
    sleepOffset = offset
    outbox.hand(
      .interval(
        IntervalRecord(
          kind: .excluded, loop: nil, startedNs: now, endedNs: now, duration: slept, reason: "machine-sleep")))
  }
}
