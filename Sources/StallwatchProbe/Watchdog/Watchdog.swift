import CStallwatch
import CoreFoundation
import StallwatchCore
import Synchronization

/// The one thread that watches all loops. It parks while all of them wait; otherwise it sleeps to the exact moment at
/// which the earliest span would become a stall, or figures are due.
final class Watchdog: @unchecked Sendable {
  let registry: LoopRegistry
  let recorder: any Recorder
  let configuration: ProbeConfiguration
  let annotations: @Sendable () -> [String: String]
  let otherCPU: @Sendable () -> Nanoseconds
  /// Whether hooks show every mode before its first run, so that nobody has to look for unobserved ones.
  let seesEveryMode: Bool
  /// Whether hooks show this monitor the end of the process.
  private let hasHooks: Bool
  /// Returns once all records handed on are written; with a moment, the process ends in order then.
  let lastWords: @Sendable (Nanoseconds?) -> Void
  private let parker: Parker
  private let stopping = Atomic<Bool>(false)
  private let stoppedAt = Atomic<Nanoseconds>(0)

  // What follows belongs to the watchdog's thread.
  /// Nil with sampling off, and before ``run()``.
  private(set) var sampling: StallSampling?
  let ledger: TimerLedger?
  /// Nil with the drift probe off.
  let drift: DriftProbe?
  var judge: SuspensionJudge
  /// Shows that the process was stopped; nil before this thread runs, and where the system has none.
  private(set) var sleeper: Sleeper?
  var exclusions = Exclusions()
  var nextStall: UInt64 = 1
  var wakeups: UInt64 = 0
  var lateness = LatenessCounters()
  /// Records that the recorder had no room for; offered again before new figures are read.
  var refused: [Record] = []
  /// How many records found no room here either, since this was last reported.
  var lostRecords: UInt64 = 0
  var lastFlush: Nanoseconds = 0
  var sleepOffset: Nanoseconds = 0
  /// Calibrates the clock that observers read.
  var counterClock: CounterKeeper
  /// Observer time of loops whose threads have ended.
  var endedObserverTotal: Nanoseconds = 0
  /// The main thread's name when it was last read.
  var programName: String?
  /// Activities of all loops at the last flush; shows whether there is anything to hand on.
  var flushedActivities: UInt64 = 0

  init(
    registry: LoopRegistry, parker: Parker, clock: CounterClock, recorder: any Recorder,
    configuration: ProbeConfiguration,
    seesEveryMode: Bool, hasHooks: Bool, annotations: @escaping @Sendable () -> [String: String],
    otherCPU: @escaping @Sendable () -> Nanoseconds, lastWords: @escaping @Sendable (Nanoseconds?) -> Void,
    ledger: TimerLedger?
  ) {
    self.registry = registry
    self.parker = parker
    counterClock = CounterKeeper(clock)
    self.recorder = recorder
    self.configuration = configuration
    self.seesEveryMode = seesEveryMode
    self.hasHooks = hasHooks
    self.annotations = annotations
    self.otherCPU = otherCPU
    self.lastWords = lastWords
    self.ledger = ledger
    drift = DriftProbe(registry: registry, modes: configuration.driftModes)
    judge = SuspensionJudge(
      from: LifeSigns(atNs: Platform.now(), cpu: 0, runDelay: nil, sleeperCPU: nil), threshold: configuration.threshold)
  }

  /// The thread's body.
  func run() {
    stallwatch_exact_timers()
    stallwatch_short_turns()
    stallwatch_reserve_heap()
    // Here, because it reads which images are mapped, and the thread that starts the probe should not wait for that.
    sampling = StallSampling(configuration)
    sleepOffset = Platform.sleepOffset()
    lastFlush = Platform.now()
    sleeper = Sleeper()
    judge.begin(from: lifeSigns(of: []))
    while !stopping.load(ordering: .acquiring) { watchOnce() }
    finish(at: stoppedAt.load(ordering: .relaxed))
    sleeper?.end()
  }

  /// Makes the thread do its last pass and end. A hold counts until `moment`. Any thread.
  func stop(at moment: Nanoseconds) {
    stoppedAt.store(moment, ordering: .relaxed)
    stopping.store(true, ordering: .releasing)
    parker.tell()
  }

  /// One look at everything, then one sleep.
  private func watchOnce() {
    if hasHooks, let farewell = Farewell.unanswered { answer(farewell) }
    let now = Platform.now()
    counterClock.refresh(at: now)
    guard now >= quietUntil, !isDying else {
      parker.sleep(until: max(quietUntil, now.saturatingAdd(Self.quietTime)))
      return judge.begin(from: lifeSigns(of: []))
    }
    stallwatch_come_first(registry.isCrowded)
    ZeroedMemory.prepare()
    let known = registry.loops
    registry.prepare()
    drift?.begin(known, at: now)
    drift?.wake(known)
    drift?.takeControl(known, at: now)
    sampling?.beginPass()
    for watched in known { look(at: watched, now: now) }
    endLoops(among: known, now: now)
    // Asked again: loops whose threads have ended are released now, and their memory may serve others.
    let loops = registry.loops
    judged(loops.count) { sampling?.profile(loops, hand) }
    if isFlushDue(loops, now: now) {
      flush(loops, now: now)
    } else if ledger?.isCrowded == true, refused.isEmpty {
      flushTimers(of: loops, at: now)
    }
    let hasWork = hasUnflushedActivity(loops)
    noteTurns(of: loops, at: now)
    let isAtRest = !hasWork && refused.isEmpty && isIdle(loops) && now.since(lastTurn) >= configuration.threshold
    let isAwaitingTick = drift?.isAwaiting(loops, for: configuration.threshold, at: now) ?? false
    if isAtRest, !isAwaitingTick {
      park(loops, now: now)
    } else {
      if isAtRest { drift?.noteWakeup() }
      // The looks may have taken time: what became due meanwhile is due now, and nobody is late for it.
      let ready = Platform.now()
      sleep(until: max(nextWake(loops, now: now, hasWork: hasWork), ready), from: ready, loops)
    }
  }

  /// Sleeps until a loop wakes the watchdog, or until a tick or a look at a loop outside any run is due.
  private func park(_ loops: [WatchedLoop], now: Nanoseconds) {
    let tick = drift?.nextLook(loops, at: now)
    if tick == nil { drift?.pause() }
    let check = nextOutsideCheck(loops)
    let deadline = [tick, check == 0 ? nil : check, nextAwayLook(loops, at: now)].compactMap(\.self).min() ?? 0
    noteRest(loops)
    let asleep = judge.aliveNs
    // All loops, because one that has just arrived and is already held would not wake this thread again.
    parker.park(until: deadline) { isIdle(registry.allLoops) && !stopping.load(ordering: .acquiring) }
    let woke = Platform.now()
    wakeups += 1
    // This thread was due at its deadline, or when the loop that woke it became held.
    let dues = registry.loops.compactMap { $0.memory.region.position.spanStart }.filter { $0 > asleep }
    noteWaking(due: dues.reduce(deadline == 0 ? woke : deadline, min))
    guard deadline != 0, woke >= deadline else {
      lastTurn = woke
      return
    }
    // The plan woke this thread, not a loop: if nothing else comes of it, it parks again.
    if tick == deadline { drift?.noteWakeup() }
    lateness.add(woke - deadline)
  }

  /// Answers a process that is about to end: hands on everything, then goes quiet so that nothing new begins. If the
  /// process is killed, what goes on has no end, and this hands on how far it has come.
  private func answer(_ farewell: UInt32) {
    if Farewell.kind == .death {
      let now = Platform.now()
      // The process lived until it said so, and waits for this since: known stalls get no further look.
      for watched in registry.allLoops where watched.tracker.current == nil { look(at: watched, now: now) }
      flush(registry.allLoops, now: Farewell.saidNs)
      lastWords(nil)
      activitiesAtDeath = activities(of: registry.loops)
      quietUntil = Platform.now() + Self.quietTime
      return Farewell.answer(farewell)
    }
    lookForLastStalls(at: Farewell.saidNs)
    tellAll(isLast: false, heldUntil: Farewell.saidNs)
    lastWords(Platform.now())
    quietUntil = Platform.now() + Self.quietTime
    Farewell.answer(farewell)
  }

  /// Whether the process waits for this thread's answer: a stack would show that wait only, after the stall's end.
  var isAwaited: Bool { hasHooks && Farewell.unanswered != nil }

  /// The watchdog stays quiet until then; a process that still lives by then could not become another program.
  private var quietUntil: Nanoseconds = 0
  private static let quietTime = 1 * Nanoseconds.second
  /// The loops' activities when the process said that it is killed; nil before.
  private var activitiesAtDeath: UInt64?

  /// Whether the process is dying. A handler may add seconds to that, which are no part of what the program did. If a
  /// handler jumps out of it, the process lives on and its loops turn again.
  private var isDying: Bool {
    activitiesAtDeath.map { $0 == activities(of: registry.loops) } ?? false
  }

  /// When a loop was last seen turning or held, or the watchdog was woken. It stays unparked for a threshold's time
  /// after that, so that a loop that keeps turning does not have to wake it again.
  private var lastTurn: Nanoseconds = 0
  private var seenActivities: UInt64 = 0

  private func noteTurns(of loops: [WatchedLoop], at now: Nanoseconds) {
    let activities = activities(of: loops)
    guard activities != seenActivities || !isIdle(loops) else { return }
    seenActivities = activities
    lastTurn = now
  }

  /// The earliest moment at which something is due.
  private func nextWake(_ loops: [WatchedLoop], now: Nanoseconds, hasWork: Bool) -> Nanoseconds {
    // A span that begins from now on needs no look before this.
    var wake = now.saturatingAdd(configuration.longestSleep)
    for watched in loops {
      let position = watched.memory.region.position
      if let start = position.spanStart, start == watched.unseenSpan { continue }
      if let deadline = watched.tracker.deadline(for: position, excluding: exclusions, at: now) {
        wake = min(wake, max(deadline, now))
      }
      if let start = position.spanStart, let look = sampling?.nextNs(of: watched.id, holdFrom: start) {
        wake = min(wake, max(look, now))
      }
    }
    if let look = nextAwayLook(loops, at: now) { wake = min(wake, max(look, now)) }
    if let look = sampling?.nextProfile { wake = min(wake, max(look, now)) }
    if let tick = drift?.nextLook(loops, at: now) { wake = min(wake, max(tick, now)) }
    if hasWork || !refused.isEmpty { wake = min(wake, max(lastFlush.saturatingAdd(configuration.flushInterval), now)) }
    return wake
  }

  /// Sleeps, then judges whether the process ran all the while.
  private func sleep(until planned: Nanoseconds, from now: Nanoseconds, _ loops: [WatchedLoop]) {
    guard planned > now else { return }
    noteRest(loops)
    parker.sleep(until: planned)
    let woke = Platform.now()
    wakeups += 1
    if woke >= planned { lateness.add(woke - planned) }
    noteWaking(due: planned)
  }
}
