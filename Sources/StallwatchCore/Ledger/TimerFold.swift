/// Folds one timer's life into its board, as it happens. For its loop's thread, unless a method says otherwise.
///
/// Each call does a bounded amount of work, allocates nothing, takes no lock and reads no clock. Only a callout late
/// enough to miss due times walks through the loop's recent runs.
package struct TimerFold: @unchecked Sendable {
  /// The least lateness of a callout that counts as late by a stall; a busy loop makes any timer late by less.
  package static let leastLateness: Nanoseconds = 1 * .millisecond

  let board: TimerBoard
  /// The timer's place in the registry's table.
  let slot: UInt32
  /// The loop that serves it.
  let loop: LoopBoard
  let lateFires: LateFireQueue
  let threshold: Nanoseconds

  /// A fold of the timer at `slot`, into `board`, for the `loop` that serves it; `threshold` in nanoseconds.
  package init(
    board: TimerBoard, slot: UInt32, loop: LoopBoard, lateFires: LateFireQueue, threshold: Nanoseconds
  ) {
    self.board = board
    self.slot = slot
    self.loop = loop
    self.lateFires = lateFires
    self.threshold = threshold
  }

  /// Notes that the timer is in `mode`. Otherwise the modes in which it is seen to fire count as its own.
  package func join(mode: Int) {
    guard mode < TimerBoard.modeCount else { return }
    board.words.store(TimerBoard.Word.modes, board.words.load(TimerBoard.Word.modes) | 1 << UInt64(mode))
  }

  /// Begins a callout that serves the due time `due`, exactly as the loop keeps it; `interval` is 0 for a one-shot. In
  /// `startUp` the program waited for the monitor to load: that makes no timer late, and what came due in it is neither
  /// fired nor dropped.
  package func begin(
    due: Nanoseconds, interval: Nanoseconds, at now: Nanoseconds, startUp: Range<Nanoseconds> = 0..<0
  ) {
    let words = board.words
    if interval > 0 { settle(next: due, interval: interval) }
    words.add(TimerBoard.Word.fired, 1)
    let mode = loop.innermostMode
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
        words.add(TimerBoard.Word.coalesced, 1)
      } else {
        drop(next, until: startUp.lowerBound - 1, mayBeOutside: mode != nil)
        let rest = DueGrid(first: next.due(next.count(until: startUp.upperBound - 1)), interval: interval)
        drop(rest, until: now, mayBeOutside: mode != nil)
      }
    }
    words.store(TimerBoard.Word.armed, 0)
    enter(due: due, interval: interval, missed: missed, at: now)
    if lateness >= Self.leastLateness, isHeldPast(due, at: now) {
      lateFires.push(LateFire(slot: slot, isCallout: true, due: due, interval: interval, from: due, at: now))
    }
  }

  /// Ends that callout. Ignores one that was not seen to begin.
  package func end(at now: Nanoseconds) {
    let words = board.words
    let callouts = words.load(TimerBoard.Word.callouts)
    guard callouts > 0 else { return }
    words.store(TimerBoard.Word.callouts, callouts - 1)
    guard callouts == 1 else { return }
    let duration = now.since(words.load(TimerBoard.Word.begin))
    words.store(TimerBoard.Word.end, now)
    words.add(TimerBoard.Word.calloutTotal, duration)
    if duration > words.load(TimerBoard.Word.calloutMaximum) { words.store(TimerBoard.Word.calloutMaximum, duration) }
    tellMissedInCallout(until: now)
  }

  /// Notes that the program gave it another fire date, `due`.
  package func rearm(to due: Nanoseconds, at now: Nanoseconds) {
    dropUnserved(until: now)
    board.words.add(TimerBoard.Word.rearmed, 1)
    board.words.store(TimerBoard.Word.armed, max(due, 1))
  }

  /// Notes that the program gave it another interval and due time.
  package func change(interval: Nanoseconds, due: Nanoseconds, at now: Nanoseconds) {
    dropUnserved(until: now)
    board.words.add(TimerBoard.Word.intervalChanges, 1)
    board.words.store(TimerBoard.Word.nextInterval, interval)
    board.words.store(TimerBoard.Word.armed, max(due, 1))
  }

  /// Notes that a one-shot, which shares its board with others, ended without firing; it was due at `due`.
  package func dropOneShot(due: Nanoseconds, at now: Nanoseconds) {
    if due <= now { drop(DueGrid(first: due), until: now) }
  }

  /// Notes that the timer can fire no more, and drops what is due by now. Any thread, once.
  package func finish(at now: Nanoseconds) {
    guard board.endedNs == nil else { return }
    dropUnserved(until: now)
    board.words.release(TimerBoard.Word.ended, max(now, 1))
  }

  // MARK: -

  private func record(_ lateness: Nanoseconds, at now: Nanoseconds) {
    let words = board.words
    board.lateness.add(lateness)
    words.add(TimerBoard.Word.latenessTotal, lateness)
    if lateness > words.load(TimerBoard.Word.latenessMaximum) || words.load(TimerBoard.Word.worstAt) == 0 {
      words.store(TimerBoard.Word.latenessMaximum, lateness)
      words.store(TimerBoard.Word.worstAt, now)
    }
    words.release(TimerBoard.Word.latenessCount, words.load(TimerBoard.Word.latenessCount) &+ 1)
  }

  /// Stores where the callout that begins stands on its grid. A repeating timer does not fire inside itself. One-shots
  /// that share a board may; the fold then measures the outermost callout, so that no time counts twice.
  private func enter(due: Nanoseconds, interval: Nanoseconds, missed: UInt64, at now: Nanoseconds) {
    let words = board.words
    let callouts = interval > 0 ? 0 : words.load(TimerBoard.Word.callouts)
    words.store(TimerBoard.Word.callouts, callouts &+ 1)
    guard callouts == 0 else { return }
    words.store(TimerBoard.Word.due, due)
    words.store(TimerBoard.Word.interval, interval)
    words.store(TimerBoard.Word.nextInterval, interval)
    words.store(TimerBoard.Word.missed, missed)
    words.store(TimerBoard.Word.left, 0)
    words.store(TimerBoard.Word.begin, now)
    words.store(TimerBoard.Word.end, 0)
  }

  /// Whether a span of at least the threshold held the loop past `moment`.
  @inline(__always)
  private func isHeldPast(_ moment: Nanoseconds, at now: Nanoseconds) -> Bool {
    guard let held = loop.longSpan(at: now, threshold: threshold) else { return false }
    return held > moment
  }

  /// Reports the timer's own due times that its own callout, as part of a stall, made it miss.
  @inline(__always)
  private func tellMissedInCallout(until now: Nanoseconds) {
    let words = board.words
    let (due, interval) = (words.load(TimerBoard.Word.due), words.load(TimerBoard.Word.interval))
    guard interval > 0, now.since(due) >= interval else { return }
    let (begin, left) = (words.load(TimerBoard.Word.begin), words.load(TimerBoard.Word.left))
    let fire = LateFire(
      slot: slot, isCallout: false, due: due, interval: interval, from: begin, at: left == 0 ? now : min(left, now))
    if isHeldPast(begin, at: now), fire.missed > 0 { lateFires.push(fire) }
  }
}
