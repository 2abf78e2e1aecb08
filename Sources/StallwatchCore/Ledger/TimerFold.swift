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
    board.words.store(TimerBoard.Word.modes, board.words.load(TimerBoard.Word.modes) | 1 << UInt64(mode & 63))
  }

  /// A callout begins, which serves the due time `due`; `interval` is 0 for a one-shot.
  public func begin(due: Nanoseconds, interval: Nanoseconds, at now: Nanoseconds) {
    let words = board.words
    if interval > 0 { settle(next: due, interval: interval) }
    words.add(TimerBoard.Word.fired, 1)
    let mode = loop.innermostMode
    if let mode { join(mode: mode) }
    let lateness = now.since(due)
    record(lateness, at: now)
    var missed: UInt64 = 0
    if interval > 0 {
      if lateness >= interval {
        missed = lateness / interval
        drop(DueGrid(first: due + interval, interval: interval), until: now)
        words.add(TimerBoard.Word.coalesced, 1)
      }
      words.store(TimerBoard.Word.interval, interval)
      words.store(TimerBoard.Word.missed, missed)
      words.store(TimerBoard.Word.due, due)
      words.store(TimerBoard.Word.armed, 0)
    }
    words.store(TimerBoard.Word.begin, now)
    words.store(TimerBoard.Word.end, 0)
    if lateness >= Self.leastLateness, let held = loop.longSpan(at: now, threshold: threshold), held > due {
      lateFires.push(LateFire(slot: slot, isCallout: true, due: due, interval: interval, at: now, missed: missed))
    }
  }

  /// That callout has returned.
  public func end(at now: Nanoseconds) {
    let words = board.words
    let begin = words.load(TimerBoard.Word.begin)
    let duration = now.since(begin)
    words.store(TimerBoard.Word.end, now)
    words.add(TimerBoard.Word.calloutTotal, duration)
    if duration > words.load(TimerBoard.Word.calloutMaximum) { words.store(TimerBoard.Word.calloutMaximum, duration) }
    let (due, interval) = (words.load(TimerBoard.Word.due), words.load(TimerBoard.Word.interval))
    guard duration >= threshold, interval > 0, due != 0 else { return }
    // Its own callout is the stall, and its own due times are the first to suffer.
    let missed = now.since(due) / interval &- min(words.load(TimerBoard.Word.missed), now.since(due) / interval)
    if missed > 0 {
      lateFires.push(LateFire(slot: slot, isCallout: false, due: begin, interval: interval, at: now, missed: missed))
    }
  }

  /// The program gives it another fire date: `due` from now on.
  public func rearm(to due: Nanoseconds, at now: Nanoseconds) {
    dropUnserved(until: now)
    board.words.add(TimerBoard.Word.rearmed, 1)
    board.words.store(TimerBoard.Word.due, 0)
    board.words.store(TimerBoard.Word.armed, due)
  }

  /// The program gives it another interval and due time.
  public func change(interval: Nanoseconds, due: Nanoseconds, at now: Nanoseconds) {
    dropUnserved(until: now)
    board.words.add(TimerBoard.Word.intervalChanges, 1)
    board.words.store(TimerBoard.Word.due, 0)
    board.words.store(TimerBoard.Word.interval, interval)
    board.words.store(TimerBoard.Word.armed, due)
  }

  /// A one-shot that shares its board with others ends without having fired; it was due at `due`.
  public func dropOneShot(due: Nanoseconds, at now: Nanoseconds) {
    if due <= now { drop(DueGrid(first: due, interval: .max / 2), until: now) }
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
    let bucket = board.buckets + HistogramLayout.index(of: lateness)
    bucket.pointee.store(bucket.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    words.add(TimerBoard.Word.latenessTotal, lateness)
    if lateness > words.load(TimerBoard.Word.latenessMaximum) || words.load(TimerBoard.Word.worstAt) == 0 {
      words.store(TimerBoard.Word.latenessMaximum, lateness)
      words.store(TimerBoard.Word.worstAt, now)
    }
    words.release(TimerBoard.Word.latenessCount, words.load(TimerBoard.Word.latenessCount) &+ 1)
  }

  /// With the due time of the next callout it is known what the one before has cost: the due times between that had not
  /// passed when it began fell into it.
  private func settle(next due: Nanoseconds, interval: Nanoseconds) {
    let words = board.words
    let served = words.load(TimerBoard.Word.due)
    guard served != 0 else { return }
    let distance = due.since(served)
    guard distance > 0, distance % interval == 0 else {
      // Not on the grid: re-armed, unseen. When is not known, so nothing more is said of the old grid.
      words.add(TimerBoard.Word.rearmed, 1)
      return
    }
    let between = distance / interval - 1
    let missed = words.load(TimerBoard.Word.missed)
    guard between > missed else { return }
    words.add(TimerBoard.Word.dropped, between - missed)
    if missed == 0 { words.add(TimerBoard.Word.coalesced, 1) }
  }

  /// Drops every due time up to `now` that was not counted yet.
  private func dropUnserved(until now: Nanoseconds) {
    let words = board.words
    let interval = words.load(TimerBoard.Word.interval)
    let armed = words.load(TimerBoard.Word.armed)
    if armed != 0 {
      if armed <= now { drop(DueGrid(first: armed, interval: interval > 0 ? interval : .max / 2), until: now) }
      words.store(TimerBoard.Word.armed, 0)
      return
    }
    let served = words.load(TimerBoard.Word.due)
    guard served != 0, interval > 0 else { return }
    let passed = now.since(served) / interval
    let missed = words.load(TimerBoard.Word.missed)
    guard passed > missed else { return }
    let end = words.load(TimerBoard.Word.end)
    let inCallout = end == 0 ? passed : min(passed, end.since(served) / interval)
    if inCallout > missed {
      words.add(TimerBoard.Word.dropped, inCallout - missed)
      if missed == 0 { words.add(TimerBoard.Word.coalesced, 1) }
    }
    let counted = max(inCallout, missed)
    if passed > counted { drop(DueGrid(first: served + (counted + 1) * interval, interval: interval), until: now) }
    words.store(TimerBoard.Word.missed, passed)
  }

  /// Counts the due times of a grid up to `now` as dropped, and says why where the loop's runs tell: it ran in a mode in
  /// which the timer was never seen to fire, although it was due there, or it was outside any run.
  private func drop(_ grid: DueGrid, until now: Nanoseconds) {
    let words = board.words
    let count = grid.count(until: now)
    words.add(TimerBoard.Word.dropped, count)
    let own = words.load(TimerBoard.Word.modes)
    let known = max(grid.first, loop.runs.knownSince)
    var covered: UInt64 = 0
    loop.runs.forEach(after: known) { piece in
      let dropped = grid.count(from: max(piece.start, known), until: min(piece.end - 1, now))
      covered += dropped
      guard dropped > 0, own & 1 << UInt64(piece.mode & 63) == 0 else { return }
      words.add(TimerBoard.Word.droppedByMode + piece.mode & 63, dropped)
    }
    let inQuestion = grid.count(from: known, until: now)
    if inQuestion > covered { words.add(TimerBoard.Word.droppedOutside, inQuestion - covered) }
  }
}
