/// Folds the life of one timer into its board: on the thread of its loop, as it happens.
///
/// Each call does a bounded amount of work, allocates nothing, takes no lock and reads no clock. Only a callout that comes
/// so late that due times were missed walks through the loop's recent runs.
public struct TimerFold: @unchecked Sendable {
  /// How late a callout must be to count as made late by a stall: less is what a busy loop does to any timer.
  public static let leastLateness: Nanoseconds = 1 * .millisecond

  let board: TimerBoard
  /// The timer's place in the registry's table.
  let slot: UInt32
  /// The loop that serves it.
  let loop: LoopBoard
  let lateFires: LateFireQueue
  let threshold: Nanoseconds

  /// The fold of the timer at `slot`, whose memory is `board`, as served by a loop.
  public init(
    board: TimerBoard, slot: UInt32, loop: LoopBoard, lateFires: LateFireQueue, threshold: Nanoseconds
  ) {
    self.board = board
    self.slot = slot
    self.loop = loop
    self.lateFires = lateFires
    self.threshold = threshold
  }

  /// The timer is in a mode of its loop. Without this word the modes it is seen to fire in count as its own.
  public func join(mode: Int) {
    guard mode < TimerBoard.modeCount else { return }
    board.words.store(TimerBoard.Word.modes, board.words.load(TimerBoard.Word.modes) | 1 << UInt64(mode))
  }

  /// A callout begins, which serves the due time `due`, exactly as the loop keeps it; `interval` is 0 for a one-shot.
  /// `startUp` is when the program waited for the monitor to come in: that makes no timer late, and what was due in it is
  /// neither fired nor dropped.
  public func begin(
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
      // A loop in no run that is known fires it: then it is in one that is not, and has not been outside.
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

  /// That callout has returned. One that was not seen to begin is ignored.
  public func end(at now: Nanoseconds) {
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

  /// The program gives it another fire date: `due` from now on.
  public func rearm(to due: Nanoseconds, at now: Nanoseconds) {
    dropUnserved(until: now)
    board.words.add(TimerBoard.Word.rearmed, 1)
    board.words.store(TimerBoard.Word.armed, max(due, 1))
  }

  /// The program gives it another interval and due time.
  public func change(interval: Nanoseconds, due: Nanoseconds, at now: Nanoseconds) {
    dropUnserved(until: now)
    board.words.add(TimerBoard.Word.intervalChanges, 1)
    board.words.store(TimerBoard.Word.nextInterval, interval)
    board.words.store(TimerBoard.Word.armed, max(due, 1))
  }

  /// A one-shot that shares its board with others ends without having fired; it was due at `due`.
  public func dropOneShot(due: Nanoseconds, at now: Nanoseconds) {
    if due <= now { drop(DueGrid(first: due), until: now) }
  }

  /// The timer can fire no more: what is due by now is dropped. Any thread, once.
  public func finish(at now: Nanoseconds) {
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

  /// Puts down what the callout that begins stands on. A repeating timer does not fire inside itself; one-shots that share a
  /// board may, and then the outermost callout is the one that is measured, so that no time counts twice.
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

  /// Where its own callout was part of a stall, its own due times are the first to suffer.
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
