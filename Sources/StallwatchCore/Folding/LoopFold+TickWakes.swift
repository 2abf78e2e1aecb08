/// The activities of an iteration that the fold keeps back: when they came; 0 before that.
struct TickWake {
  var afterWaiting: Nanoseconds = 0
  var beforeTimers: Nanoseconds = 0
  var beforeSources: Nanoseconds = 0
}

/// Iterations that the drift probe makes. The watchdog wakes a waiting loop for its tick, and CF then goes once round:
/// afterWaiting, beforeTimers, beforeSources, beforeWaiting. That is no work of the program's, so it leaves no trace in
/// the profile: the wait goes on.
///
/// Whether it is that is known when the loop waits again. Until then the fold keeps the activities back, and folds them
/// if anything else comes: other activities, or a longer time. The region shows the loop as held meanwhile, because a
/// callout may hold it.
extension LoopFold {
  /// What ``overflow`` is while activities are kept back. So the one check for what is rare finds this too.
  static let inTickWake = -1
  /// The longest iteration that counts as the probe's alone. It takes microseconds, and some hundred after a long rest;
  /// work of less than this that comes at the moment of a tick goes unseen.
  package static let longestTickWake: Nanoseconds = 1 * .millisecond
  /// The activities of such an iteration.
  package static let activitiesOfTickWake: UInt64 = 4

  /// Takes the wake-up of a loop that was not seen to fall asleep, or for which a tick is due. Returns nil if it is yet
  /// to be folded, like any other.
  @inline(never)
  mutating func wakeRarely(_ top: UnsafeMutablePointer<Activation>, at now: Nanoseconds) -> Bool? {
    if top.pointee.phase != .waiting { return wakeUnslept(top, at: now) }
    return serveTickAwakened(top, at: now) ? true : nil
  }

  /// Serves the tick that is due as the loop wakes. Returns whether it woke for that alone, as far as one can tell; its
  /// activities are then kept back.
  private mutating func serveTickAwakened(_ top: UnsafeMutablePointer<Activation>, at now: Nanoseconds) -> Bool {
    let counters = top.pointee.counters
    let isWoken = region.isWokenForTick && region.isInDrift(mode: counters.index)
    // First: whoever takes the report finds that the activities do not count yet.
    if isWoken { region.beginTickWake() }
    serveTick(in: counters, at: now)
    guard isWoken else { return false }
    tickWake = TickWake(afterWaiting: now)
    overflow = Self.inTickWake
    current = 0
    region.stand(top.pointee.place.with(.service, span: now))
    region.wake(at: now)
    return true
  }

  /// Takes an activity after that. Returns whether it is kept back, or the wait goes on; otherwise what was kept back is
  /// folded, and this activity is yet to be. A span that became a stall ends before the region shows the next.
  mutating func keepBack(_ activity: Activity, in counters: ModeCounters, at now: Nanoseconds) -> Bool {
    if counters.index == top.pointee.counters.index, isShort(until: now) {
      switch activity {
      case .beforeTimers where tickWake.beforeTimers == 0:
        tickWake.beforeTimers = now
        region.stand(top.pointee.place.with(.prepare, span: now))
        region.hold(from: now)
        return true
      case .beforeSources where tickWake.beforeTimers != 0 && tickWake.beforeSources == 0:
        tickWake.beforeSources = now
        region.stand(top.pointee.place.with(.sources, span: tickWake.beforeTimers))
        return true
      case .beforeWaiting where tickWake.beforeSources != 0:
        endKeepingBack()
        show(top)
        region.endTickWake(hiding: Self.activitiesOfTickWake)
        region.restOn()
        return true
      default: break
      }
    }
    foldKeptBack()
    return false
  }

  /// Folds what was kept back: the loop did work of its own.
  mutating func foldKeptBack() {
    endKeepingBack()
    let counters = top.pointee.counters
    _ = observe(.afterWaiting, in: counters, at: tickWake.afterWaiting)
    if tickWake.beforeTimers != 0 { _ = observe(.beforeTimers, in: counters, at: tickWake.beforeTimers) }
    if tickWake.beforeSources != 0 { _ = observe(.beforeSources, in: counters, at: tickWake.beforeSources) }
    region.endTickWake(hiding: 0)
  }

  private mutating func endKeepingBack() {
    overflow = 0
    current = top.pointee.counters.address
  }

  /// Whether the iteration took no longer than one that the probe makes. A tick that is due again is served first.
  private func isShort(until now: Nanoseconds) -> Bool {
    now.since(tickWake.afterWaiting) < Self.longestTickWake && !region.isTickDue(at: now)
  }
}
