import CStallwatch
import CoreFoundation
import StallwatchCore
import Synchronization

/// The one thread that watches all loops. It parks while all of them wait; otherwise it sleeps to the exact moment at
/// which the earliest span would become a stall, or figures are due.
final class Watchdog: @unchecked Sendable {
  let registry: LoopRegistry
  let configuration: ProbeConfiguration
  /// Whether hooks show every mode before its first run, so that nobody has to look for unobserved ones.
  let seesEveryMode: Bool
  /// Whether hooks show this monitor the end of the process.
  private let hasHooks: Bool
  /// The CPU time of the monitor's other threads.
  let recorderCost: @Sendable () -> RecorderCost
  /// Returns once all records handed on are written; with a moment, the process ends in order then.
  private let lastWords: @Sendable (Nanoseconds?) -> Void
  private let parker: Parker
  private let stopping = Atomic<Bool>(false)
  private let stoppedAt = Atomic<Nanoseconds>(0)
  /// What looks at held threads cost. Any thread.
  let looks: LookCosts

  // What follows belongs to the watchdog's thread.
  /// What to hand on.
  let outbox: RecordOutbox
  /// Whether the process ran.
  let witness: Witness
  /// When to look.
  var schedule: Schedule
  /// Which loops to ask to retire their counters.
  var retirementTurns = RetirementTurns()
  /// Nil with sampling off, and before ``run()``.
  private(set) var sampling: StallSampling?
  let ledger: TimerLedger?
  /// Dispatch's queues where hooks show their items, or lanes that are pinged.
  let queues: QueueWatch
  /// Nil with the drift probe off.
  let drift: DriftProbe?
  /// What watching costs.
  var health = WatchdogHealth()
  /// Calibrates the clock that observers read.
  private var counterClock: CounterKeeper
  /// The main thread's name when it was last read.
  var programName: String?

  init(
    registry: LoopRegistry, parker: Parker, clock: CounterClock, recorder: any Recorder,
    configuration: ProbeConfiguration,
    seesEveryMode: Bool, hasHooks: Bool, annotations: @escaping @Sendable () -> [String: String],
    recorderCost: @escaping @Sendable () -> RecorderCost, lastWords: @escaping @Sendable (Nanoseconds?) -> Void,
    ledger: TimerLedger?, queues: QueueWatch
  ) {
    self.registry = registry
    self.parker = parker
    counterClock = CounterKeeper(clock)
    self.configuration = configuration
    looks = LookCosts(measures: configuration.measuresLooks)
    self.seesEveryMode = seesEveryMode
    self.hasHooks = hasHooks
    self.recorderCost = recorderCost
    self.lastWords = lastWords
    self.ledger = ledger
    self.queues = queues
    drift = DriftProbe(registry: registry, modes: configuration.driftModes)
    outbox = RecordOutbox(recorder: recorder, annotations: annotations)
    witness = Witness(registry: registry, outbox: outbox, threshold: configuration.threshold)
    schedule = Schedule(configuration)
  }

  /// The thread's body.
  func run() {
    stallwatch_exact_timers()
    stallwatch_short_turns(true)
    stallwatch_reserve_heap()
    // Here, because it reads which images are mapped, and the thread that starts the probe should not wait for that.
    sampling = StallSampling(configuration)
    // That took a line of text for each mapping.
    stallwatch_give_back_heap()
    schedule.begin(at: Platform.now())
    witness.begin()
    while !stopping.load(ordering: .acquiring) { watchOnce() }
    endRest()
    finish(at: stoppedAt.load(ordering: .relaxed))
    witness.end()
  }

  /// Makes the thread do its last pass and end. A hold counts until `moment`. Any thread.
  func stop(at moment: Nanoseconds) {
    stoppedAt.store(moment, ordering: .relaxed)
    stopping.store(true, ordering: .releasing)
    parker.alert()
  }

  /// One look at everything, then one sleep.
  private func watchOnce() {
    if hasHooks, let farewell = Farewell.unanswered { answer(farewell) }
    let now = Platform.now()
    counterClock.refresh(at: now)
    guard now >= quietUntil, !isDying else {
      parker.sleep(until: max(quietUntil, now.saturatingAdd(Self.quietTime)))
      return witness.beginAnew()
    }
    stallwatch_come_first(registry.isCrowded)
    ZeroedMemory.prepare()
    let known = registry.loops
    if isGlanceEnough(known, now: now) { return glance(at: known, now: now) }
    if canOnlyFlush(known, now: now) {
      handOn(known, now: now)
      return sleepOn(known, now: now)
    }
    registry.prepare()
    drift?.begin(known, at: now)
    drift?.look(at: known, now: now)
    drift?.wake(known)
    drift?.startControl(known, at: now)
    sampling?.beginPass()
    for watched in known { look(at: watched, now: now) }
    lookAtQueues(now: now)
    schedule.pace.isHeld = known.contains { $0.isStalled } || queues.hasDelay
    // Asked again: loops whose threads have ended are released now, and their memory may serve others.
    let loops = endLoops(among: known, now: now) ? registry.loops : known
    registry.trim()
    if sampling?.nextProfile != nil { witness.judged(loops.count) { sampling?.profile(loops, outbox.hand) } }
    if isFlushDue(loops, now: now) {
      handOn(loops, now: now)
    } else if ledger?.isCrowded == true, !outbox.hasRefused {
      flushTimers(of: loops, at: now)
    }
    schedule.noteTurns(of: loops, queues, at: now)
    let hasWork = schedule.hasUnflushedActivity(loops) || outbox.hasRefused || queues.hasFigures
    let isAtRest = !hasWork && !schedule.hasMoreToReport && schedule.areAtRest(loops, at: now)
    let isAwaitingTick = drift?.isAwaiting(loops, for: configuration.threshold, at: now) ?? false
    if isAtRest, !isAwaitingTick {
      // A tick at rest wakes a loop under CoreFoundation's lock on it. With a short turn, this thread would lose the
      // processor to that loop's thread before it lets go of the lock, for which that thread would sleep once more.
      stallwatch_short_turns(drift?.rest.isResting != true)
      park(loops, now: now)
    } else {
      if isAtRest { drift?.noteWakeup() }
      stallwatch_short_turns(true)
      schedule.planLooks(
        loops, now: now, hasWork: hasWork, excluding: witness.exclusions, sampling: sampling, drift: drift,
        queues: queues)
      sleepOn(loops, now: now)
    }
  }

  /// Sleeps until a loop wakes the watchdog, or until a tick or a look at a loop outside any run is due.
  private func park(_ loops: [WatchedLoop], now: Nanoseconds) {
    let tick = drift?.nextLook(loops, at: now)
    if tick == nil { drift?.pause() }
    let check = nextOutsideCheck(loops)
    let deadline =
      [
        tick, check == 0 ? nil : check, schedule.nextAwayLook(loops, at: now),
        queues.nextPingLook(firstLook: configuration.firstLook),
      ].compactMap(\.self).min() ?? 0
    sampling?.sampler.rest(heldBefore: .max)
    schedule.noteRest()
    witness.notePark(loops)
    let asleep = witness.aliveNs
    // All loops, because one that has just arrived and is already held would not wake this thread again.
    parker.park(until: deadline) {
      Schedule.isIdle(registry.allLoops) && queues.isIdle(at: Platform.now()) && !stopping.load(ordering: .acquiring)
    }
    let woke = Platform.now()
    health.noteWakeup()
    // This thread was due at its deadline, or when the loop that woke it became held.
    let dues = registry.loops.compactMap { $0.memory.region.position.spanStart }.filter { $0 > asleep }
    witness.noteWaking(due: dues.reduce(deadline == 0 ? woke : deadline, min))
    guard deadline != 0, woke >= deadline else {
      return schedule.noteWaking(at: woke)
    }
    // The plan woke this thread, not a loop: if nothing else comes of it, it parks again.
    if tick == deadline { drift?.noteWakeup() }
    health.noteLateness(woke - deadline)
  }

  /// Answers a process that is about to end: hands on everything, then goes quiet so that nothing new begins. If the
  /// process is killed, what goes on has no end, and this hands on how far it has come.
  private func answer(_ farewell: UInt32) {
    endRest()
    if Farewell.kind == .death {
      let now = Platform.now()
      // The process lived until it said so, and waits for this since: known stalls get no further look.
      for watched in registry.allLoops where !watched.isStalled { look(at: watched, now: now) }
      flush(registry.allLoops, now: Farewell.saidNs)
      sampling?.flush(at: Farewell.saidNs, isDying: true, outbox.hand)
      lastWords(nil)
      activitiesAtDeath = Schedule.activities(of: registry.loops)
      quietUntil = Platform.now() + Self.quietTime
      return Farewell.answer(farewell)
    }
    lookForLastStalls(at: Farewell.saidNs)
    reportAll(isLast: false, heldUntil: Farewell.saidNs)
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
    activitiesAtDeath.map { $0 == Schedule.activities(of: registry.loops) } ?? false
  }

  /// Sleeps until something is due. `signsAreOld`: the witness need not read new signs before.
  func sleepOn(_ loops: [WatchedLoop], now: Nanoseconds, signsAreOld: Bool = false) {
    let hasWork = schedule.hasUnflushedActivity(loops) || outbox.hasRefused || queues.hasFigures
    // The looks may have taken time: what became due meanwhile is due now, and nobody is late for it.
    let ready = Platform.now()
    let wake = max(schedule.nextWake(now: now, hasWork: hasWork), ready)
    sleep(until: wake, from: ready, loops, signsAreOld: signsAreOld)
  }

  /// Sleeps, then judges whether the process ran all the while.
  private func sleep(until planned: Nanoseconds, from now: Nanoseconds, _ loops: [WatchedLoop], signsAreOld: Bool) {
    guard planned > now else { return }
    if !signsAreOld { witness.noteRest(loops) }
    parker.sleep(until: planned)
    let woke = Platform.now()
    health.noteWakeup()
    if woke >= planned { health.noteLateness(woke - planned) }
    witness.noteWaking(due: planned, signsAreOld: signsAreOld)
  }
}
