import StallwatchCore

/// When the watchdog looks next, when it hands on figures, and whether it may park. Used on the watchdog's thread only.
struct Schedule {
  private let configuration: ProbeConfiguration
  /// How far apart flushes are.
  var pace: FlushPace
  private var lastFlush: Nanoseconds = 0
  /// When everything was last handed on, and whether figures alone were since then.
  private var lastWholeFlush: Nanoseconds = 0
  private var owesWholeFlush = false
  /// Activities of all loops at the last flush; shows whether there is anything to hand on.
  private var flushedActivities: UInt64 = 0
  /// When a loop was last seen turning or held, or the watchdog was woken. It stays unparked for a threshold's time
  /// after that, so that a loop that keeps turning does not have to wake it again.
  private var lastTurn: Nanoseconds = 0
  private var seenActivities: UInt64 = 0
  /// How many items Dispatch's queues had served then.
  private var seenItems: UInt64 = 0

  init(_ configuration: ProbeConfiguration) {
    self.configuration = configuration
    pace = FlushPace(configuration.flushInterval, processors: Platform.processors)
  }

  /// Begins on the watchdog's thread.
  mutating func begin(at now: Nanoseconds) { (lastFlush, lastWholeFlush) = (now, now) }

  // MARK: Figures

  /// Whether any loop has turned, or is held, since the last flush.
  func hasUnflushedActivity(_ loops: [WatchedLoop]) -> Bool {
    Self.activities(of: loops) != flushedActivities || loops.contains { $0.isStalled }
  }

  /// Whether figures are to be handed on; `hasMore`: the watchdog has some besides those of loops.
  func isFlushDue(_ loops: [WatchedLoop], hasMore: Bool, now: Nanoseconds) -> Bool {
    guard now.saturatingAdd(earliness) >= nextFlush else { return false }
    return hasUnflushedActivity(loops) || hasMore || owesWholeFlush && isWholeFlushDue(at: now)
      || nextAwayFlush(loops, at: now).map { now >= $0 } ?? false
  }

  /// When figures are handed on next, if there are any.
  private var nextFlush: Nanoseconds { lastFlush.saturatingAdd(pace.interval) }

  /// When the first of the coming flushes in a time comes, as long as there are figures for each.
  private func flush(within time: ClosedRange<Nanoseconds>) -> Nanoseconds? {
    let missing = time.lowerBound.since(nextFlush)
    let interval = max(pace.interval, 1)
    let flush = nextFlush.saturatingAdd((missing + interval - 1) / interval * interval)
    return time.contains(flush) ? flush : nil
  }

  /// By how much sooner a watchdog that is awake for something else hands on figures: it then need not wake for them
  /// right after.
  private var earliness: Nanoseconds { pace.interval / 5 }

  /// Whether a flush now is to hand on everything, and not figures alone.
  private func isWholeFlushDue(at now: Nanoseconds) -> Bool {
    now.since(lastWholeFlush) >= ProbeConfiguration.wholeFlushInterval
  }

  /// Whether something may be left that only a whole flush hands on.
  var hasMoreToReport: Bool { owesWholeFlush }

  /// Notes that a flush begins. Returns whether it is to hand on everything.
  mutating func beginFlush(at now: Nanoseconds) -> Bool {
    lastFlush = now
    owesWholeFlush = !isWholeFlushDue(at: now)
    if !owesWholeFlush { lastWholeFlush = now }
    return !owesWholeFlush
  }
  /// Notes that the flush hands on the figures of all loops.
  mutating func noteFigures(of loops: [WatchedLoop]) { flushedActivities = Self.activities(of: loops) }

  /// When to write an open away again, so that a death in it is known to within that time: at every flush at first,
  /// then after a sixteenth of its length, so that a thread that never returns costs nothing in the end.
  private func nextAwayFlush(_ loops: [WatchedLoop], at now: Nanoseconds) -> Nanoseconds? {
    var next: Nanoseconds?
    for watched in loops {
      guard let start = watched.awaySince else { continue }
      next = min(next ?? .max, lastFlush + max(pace.interval, now.since(start) / 16))
    }
    return next
  }

  // MARK: Rest

  /// Notes whether a loop turns or is held now, or a queue serves items.
  mutating func noteTurns(of loops: [WatchedLoop], _ queues: QueueWatch, at now: Nanoseconds) {
    let (activities, items) = (Self.activities(of: loops), queues.served)
    guard
      activities != seenActivities || items != seenItems || queues.isAwake || !Self.isIdle(loops, at: now)
    else { return }
    (seenActivities, seenItems) = (activities, items)
    lastTurn = now
  }

  /// Whether a loop has turned, or a queue has served items, since a look or glance last asked.
  func hasTurned(_ loops: [WatchedLoop], _ queues: QueueWatch) -> Bool {
    Self.activities(of: loops) != seenActivities || queues.served != seenItems
  }

  /// Notes that a loop woke the watchdog.
  mutating func noteWaking(at now: Nanoseconds) { lastTurn = now }

  /// Notes that the watchdog is parked: after that, all is planned anew.
  mutating func noteRest() {
    pace.noteRest()
    nextTaskNs = 0
  }

  /// Whether all loops wait, and have done so for a threshold's time.
  func areAtRest(_ loops: [WatchedLoop], at now: Nanoseconds) -> Bool {
    Self.isIdle(loops, at: now) && now.since(lastTurn) >= configuration.threshold
  }

  /// Whether every loop waits or is outside any run.
  static func isIdle(_ loops: [WatchedLoop]) -> Bool {
    loops.allSatisfy { $0.memory.region.position.spanStart == nil }
  }

  /// The same, but a loop counts as waiting in an iteration that was made for a tick and has just begun.
  static func isIdle(_ loops: [WatchedLoop], at now: Nanoseconds) -> Bool {
    loops.allSatisfy { watched in
      let region = watched.memory.region
      guard let start = region.position.spanStart else { return true }
      return region.isInTickWake && now.since(start) < LoopFold.longestTickWake
    }
  }

  /// Activities of all loops, without wake-ups for ticks: with them, the drift probe would keep itself awake.
  static func activities(of loops: [WatchedLoop]) -> UInt64 {
    loops.reduce(0) { sum, watched in
      let activities = watched.memory.region.ownActivities
      return sum &+ (watched.drift?.own(activities) ?? activities)
    }
  }

  // MARK: Looks

  /// When the watchdog looks at all loops next, whatever it wakes for before; 0 before the first look.
  private(set) var nextLookNs: Nanoseconds = 0
  /// When a look is next needed for something other than how long loops are held; 0: the next one is.
  private(set) var nextTaskNs: Nanoseconds = 0

  /// The earliest moment at which something is due, from `now` on. `hasWork`: there are figures to hand on.
  func nextWake(now: Nanoseconds, hasWork: Bool) -> Nanoseconds {
    var flush = hasWork ? nextFlush : .max
    if owesWholeFlush {
      flush = min(flush, max(lastWholeFlush.saturatingAdd(ProbeConfiguration.wholeFlushInterval), nextFlush))
    }
    // Figures that come seldom may wait for a look that comes soon.
    let isSoon = nextLookNs <= flush.saturatingAdd(pace.isSlowed ? earliness : 0)
    return isSoon ? nextLookNs : max(flush, now)
  }

  /// Finds the earliest moment at which a look is due, from `now` on, after one at all loops.
  mutating func planLooks(
    _ loops: [WatchedLoop], now: Nanoseconds, hasWork: Bool, excluding exclusions: Exclusions,
    sampling: StallSampling?, drift: DriftProbe?, queues: QueueWatch
  ) {
    // A span that begins from now on needs no look before this.
    var wake = now.saturatingAdd(configuration.longestSleep)
    for watched in loops {
      let position = watched.memory.region.position
      guard let start = position.spanStart, start != watched.unseenSpan else { continue }
      if let deadline = watched.tracker.deadline(for: position, excluding: exclusions, at: now) {
        wake = min(wake, max(deadline, now))
      }
      if let look = sampling?.nextLook(at: watched.id, heldFrom: start) {
        // A look that can wait for a flush needs no wake-up of its own.
        let flush = hasWork ? flush(within: look) : nil
        wake = min(wake, max(flush ?? look.lowerBound, now))
      }
    }
    let tasks = [
      queues.nextLook(at: now, firstLook: configuration.firstLook, sampling), nextAwayLook(loops, at: now),
      sampling?.nextProfile, drift?.nextLook(loops, at: now),
    ]
    let task = tasks.compactMap(\.self).min() ?? .max
    nextLookNs = min(wake, max(task, now))
    // Of a loop outside any run, ticks are planned once it is inside one.
    nextTaskNs = loops.contains { $0.memory.region.position.isOutside } ? 0 : task
  }

  /// The same after a glance, which has found that no loop has been held for long.
  mutating func planAfterGlance(_ loops: [WatchedLoop], now: Nanoseconds) {
    let first = loops.reduce(now) { first, watched in min(first, watched.memory.region.position.spanStart ?? first) }
    nextLookNs = min(first.saturatingAdd(configuration.longestSleep), nextTaskNs)
  }

  /// The earliest time to look at a loop that is outside any run, or to write an open away again; nil: neither.
  func nextAwayLook(_ loops: [WatchedLoop], at now: Nanoseconds) -> Nanoseconds? {
    var next = nextAwayFlush(loops, at: now)
    for watched in loops where watched.memory.region.position.isOutside {
      let look = watched.outside?.nextLookNs ?? watched.lastLeft.map { $0.atNs + configuration.firstLook }
      if let look { next = min(next ?? .max, look) }
    }
    return next
  }
}
