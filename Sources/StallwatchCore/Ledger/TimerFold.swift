/// Folds one timer's life into its counters, as it happens. For its loop's thread, unless a method says otherwise.
///
/// Each call does a bounded amount of work, allocates nothing, takes no lock and reads no clock. Only a callout late
/// enough to miss due times walks through the loop's recent runs.
package struct TimerFold: @unchecked Sendable {
  /// The least lateness of a callout that counts as late by a stall; a busy loop makes any timer late by less.
  package static let leastLateness: Nanoseconds = 1 * .millisecond

  let counters: TimerCounters
  /// The timer's place in the registry's table.
  let slot: UInt32
  /// That of the loop that serves it.
  let region: LoopRegion
  let threshold: Nanoseconds

  /// A fold of the timer at `slot`, into `counters`, for the loop of `region`, which serves it; `threshold` in
  /// nanoseconds.
  @inline(__always)
  package init(counters: TimerCounters, slot: UInt32, region: LoopRegion, threshold: Nanoseconds) {
    self.counters = counters
    self.slot = slot
    self.region = region
    self.threshold = threshold
  }

  @inline(__always)
  var fields: UnsafeMutablePointer<TimerCounters.Fields> { counters.fields }

  /// Notes that the timer is in `mode`. Otherwise the modes in which it is seen to fire count as its own.
  package func join(mode: Int) {
    guard mode < TimerCounters.modeCount else { return }
    fields.pointee.modes.store(fields.pointee.modes.load() | 1 << UInt64(mode))
  }

  /// Begins a callout that serves the due time `due`, exactly as the loop keeps it; `interval` is 0 for a one-shot. In
  /// `startUp` the program waited for the monitor to load: that makes no timer late, and what came due in it is neither
  /// fired nor dropped.
  package func begin(
    due: Nanoseconds, interval: Nanoseconds, at now: Nanoseconds, startUp: Range<Nanoseconds> = 0..<0
  ) {
    if interval > 0 { reconcile(next: due, interval: interval) }
    fields.pointee.fired.add(1)
    let mode = region.innermostMode
    if let mode { join(mode: mode) }
    let waited = due < now ? UInt64(startUp.clamped(to: due..<now).count) : 0
    let lateness = now.since(due).since(waited)
    record(lateness, at: now)
    var missed: UInt64 = 0
    if interval > 0, now.since(due) >= interval {
      missed = now.since(due) / interval
      let next = DueGrid(first: due.saturatingAdd(interval), interval: interval)
      // A loop that fires it in no known run is in an unobserved one, and has not been outside.
      if waited == 0 {
        drop(next, until: now, mayBeOutside: mode != nil)
        fields.pointee.coalesced.add(1)
      } else {
        drop(next, until: startUp.lowerBound - 1, mayBeOutside: mode != nil)
        let rest = DueGrid(first: next.due(next.count(until: startUp.upperBound - 1)), interval: interval)
        drop(rest, until: now, mayBeOutside: mode != nil)
      }
    }
    fields.pointee.armed.store(0)
    enter(due: due, interval: interval, missed: missed, at: now)
    if lateness >= Self.leastLateness, isHeldPast(due, at: now) {
      region.lateFires.push(LateFire(slot: slot, isCallout: true, due: due, interval: interval, from: due, at: now))
    }
  }

  /// Ends that callout. Ignores one that was not seen to begin.
  package func end(at now: Nanoseconds) {
    let callouts = fields.pointee.callouts.load()
    guard callouts > 0 else { return }
    fields.pointee.callouts.store(callouts - 1)
    guard callouts == 1 else { return }
    let duration = now.since(fields.pointee.begin.load())
    fields.pointee.end.store(now)
    fields.pointee.calloutTotal.add(duration)
    if duration > fields.pointee.calloutMaximum.load() { fields.pointee.calloutMaximum.store(duration) }
    reportMissedInCallout(until: now)
  }

  /// Notes that the program gave it another fire date, `due`.
  package func rearm(to due: Nanoseconds, at now: Nanoseconds) {
    dropUnserved(until: now)
    fields.pointee.rearmed.add(1)
    fields.pointee.armed.store(max(due, 1))
  }

  /// Notes that the program gave it another interval and due time.
  package func change(interval: Nanoseconds, due: Nanoseconds, at now: Nanoseconds) {
    dropUnserved(until: now)
    fields.pointee.intervalChanges.add(1)
    fields.pointee.nextInterval.store(interval)
    fields.pointee.armed.store(max(due, 1))
  }

  /// Notes that a one-shot, which shares its counters with others, ended without firing; it was due at `due`.
  package func dropOneShot(due: Nanoseconds, at now: Nanoseconds) {
    if due <= now { drop(DueGrid(first: due), until: now) }
  }

  /// Notes that the timer can fire no more, and drops what is due by now. Any thread, once.
  package func finish(at now: Nanoseconds) {
    guard counters.endedNs == nil else { return }
    dropUnserved(until: now)
    fields.pointee.ended.release(max(now, 1))
  }

  // MARK: -

  private func record(_ lateness: Nanoseconds, at now: Nanoseconds) {
    if lateness > counters.lateness.maximum || fields.pointee.worstAt.load() == 0 { fields.pointee.worstAt.store(now) }
    counters.lateness.record(lateness)
  }

  /// Stores where the callout that begins stands on its grid. A repeating timer does not fire inside itself. One-shots
  /// that share counters may; the fold then measures the outermost callout, so that no time counts twice.
  private func enter(due: Nanoseconds, interval: Nanoseconds, missed: UInt64, at now: Nanoseconds) {
    let callouts = interval > 0 ? 0 : fields.pointee.callouts.load()
    fields.pointee.callouts.store(callouts &+ 1)
    guard callouts == 0 else { return }
    fields.pointee.due.store(due)
    fields.pointee.interval.store(interval)
    fields.pointee.nextInterval.store(interval)
    fields.pointee.missed.store(missed)
    fields.pointee.left.store(0)
    fields.pointee.begin.store(now)
    fields.pointee.end.store(0)
  }

  /// Whether a span of at least the threshold held the loop past `moment`.
  @inline(__always)
  private func isHeldPast(_ moment: Nanoseconds, at now: Nanoseconds) -> Bool {
    guard let held = region.longSpan(at: now, threshold: threshold) else { return false }
    return held > moment
  }

  /// Reports the timer's own due times that its own callout, as part of a stall, made it miss.
  @inline(__always)
  private func reportMissedInCallout(until now: Nanoseconds) {
    let (due, interval) = (fields.pointee.due.load(), fields.pointee.interval.load())
    guard interval > 0, now.since(due) >= interval else { return }
    let (begin, left) = (fields.pointee.begin.load(), fields.pointee.left.load())
    let fire = LateFire(
      slot: slot, isCallout: false, due: due, interval: interval, from: begin, at: left == 0 ? now : min(left, now))
    if isHeldPast(begin, at: now), fire.missed > 0 { region.lateFires.push(fire) }
  }
}
