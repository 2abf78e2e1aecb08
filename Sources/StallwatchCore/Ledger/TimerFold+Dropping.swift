extension TimerFold {
  /// Counts what the previous callout cost, which the next one's due time shows: the due times between the two that had
  /// not passed when the previous one began fell into it.
  @inline(__always)
  func settle(next due: Nanoseconds, interval: Nanoseconds) {
    let words = board.words
    let armed = words.load(TimerBoard.Word.armed)
    let served = words.load(TimerBoard.Word.due)
    if armed == 0, due == served &+ interval, interval == words.load(TimerBoard.Word.interval) { return }
    if armed != due, armed != 0 || served != 0 { settle(next: due, interval: interval, armed: armed, served: served) }
  }

  private func settle(next due: Nanoseconds, interval: Nanoseconds, armed: Nanoseconds, served: Nanoseconds) {
    let words = board.words
    let start = armed != 0 ? armed : served
    let known = words.load(armed != 0 ? TimerBoard.Word.nextInterval : TimerBoard.Word.interval)
    let distance = due.since(start)
    guard known == interval else { return words.add(TimerBoard.Word.intervalChanges, 1) }
    guard distance > 0, distance % interval == 0 else {
      // Not on the grid: re-armed, unobserved. The moment is unknown, so the old grid gets no further counts.
      return words.add(TimerBoard.Word.rearmed, 1)
    }
    // The grid has no observed callout: one was under way when watching began.
    guard armed == 0 else { return }
    let between = distance / interval - 1
    let missed = words.load(TimerBoard.Word.missed)
    guard between > missed else { return }
    words.add(TimerBoard.Word.dropped, between - missed)
    if missed == 0 { words.add(TimerBoard.Word.coalesced, 1) }
  }

  /// Drops every due time up to `now` that is not counted yet. Ends the grid.
  func dropUnserved(until now: Nanoseconds) {
    let words = board.words
    let armed = words.load(TimerBoard.Word.armed)
    if armed != 0 {
      if armed <= now { drop(DueGrid(first: armed, interval: words.load(TimerBoard.Word.nextInterval)), until: now) }
      return
    }
    let isInCallout = words.load(TimerBoard.Word.callouts) > 0
    if isInCallout { words.store(TimerBoard.Word.left, now) }
    let (served, interval) = (words.load(TimerBoard.Word.due), words.load(TimerBoard.Word.interval))
    guard served != 0, interval > 0 else { return }
    let passed = now.since(served) / interval
    let missed = words.load(TimerBoard.Word.missed)
    guard passed > missed else { return }
    let inCallout = isInCallout ? passed : min(passed, words.load(TimerBoard.Word.end).since(served) / interval)
    if inCallout > missed {
      words.add(TimerBoard.Word.dropped, inCallout - missed)
      if missed == 0 { words.add(TimerBoard.Word.coalesced, 1) }
    }
    let counted = max(inCallout, missed)
    if passed > counted {
      drop(DueGrid(first: DueGrid(first: served, interval: interval).due(counted &+ 1), interval: interval), until: now)
    }
    words.store(TimerBoard.Word.missed, passed)
  }

  /// Counts the due times of a grid up to `now` as dropped, with the reason where the loop's runs show it: the loop ran
  /// in a mode where the timer was due but never seen to fire, or it was outside any run.
  func drop(_ grid: DueGrid, until now: Nanoseconds, mayBeOutside: Bool = true) {
    let words = board.words
    words.add(TimerBoard.Word.dropped, grid.count(until: now))
    let own = words.load(TimerBoard.Word.modes)
    let known = max(grid.first, loop.runs.knownSince)
    var covered: UInt64 = 0
    var explained: UInt64 = 0
    loop.runs.forEach(after: known) { piece in
      let dropped = grid.count(from: max(piece.start, known), until: min(piece.end - 1, now))
      covered = covered.saturatingAdd(dropped)
      guard dropped > 0, piece.mode < TimerBoard.modeCount, own & 1 << UInt64(piece.mode) == 0 else { return }
      add(dropped, to: TimerBoard.Word.droppedByMode + piece.mode)
      explained = explained.saturatingAdd(dropped)
    }
    let inQuestion = grid.count(from: known, until: now)
    if mayBeOutside, inQuestion > covered {
      add(inQuestion - covered, to: TimerBoard.Word.droppedOutside)
      explained = explained.saturatingAdd(inQuestion - covered)
    }
    if explained > 0 { add(explained, to: TimerBoard.Word.explained) }
  }

  /// Adds in order: a thread that sees the sum has seen what was added before.
  private func add(_ count: UInt64, to word: Int) { board.words.release(word, board.words.load(word) &+ count) }
}
