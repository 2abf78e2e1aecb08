extension TimerFold {
  /// Counts what the previous callout cost, which the next one's due time shows: the due times between the two that had
  /// not passed when the previous one began fell into it.
  @inline(__always)
  func reconcile(next due: Nanoseconds, interval: Nanoseconds) {
    let armed = fields.pointee.armed.load()
    let served = fields.pointee.due.load()
    if armed == 0, due == served &+ interval, interval == fields.pointee.interval.load() { return }
    if armed != due, armed != 0 || served != 0 {
      reconcile(next: due, interval: interval, armed: armed, served: served)
    }
  }

  private func reconcile(next due: Nanoseconds, interval: Nanoseconds, armed: Nanoseconds, served: Nanoseconds) {
    let start = armed != 0 ? armed : served
    let known = armed != 0 ? fields.pointee.nextInterval.load() : fields.pointee.interval.load()
    let distance = due.since(start)
    guard known == interval else { return fields.pointee.intervalChanges.add(1) }
    guard distance > 0, distance % interval == 0 else {
      // Not on the grid: re-armed, unobserved. The moment is unknown, so the old grid gets no further counts.
      return fields.pointee.rearmed.add(1)
    }
    // The grid has no observed callout: one was under way when watching began.
    guard armed == 0 else { return }
    let between = distance / interval - 1
    let missed = fields.pointee.missed.load()
    guard between > missed else { return }
    fields.pointee.dropped.add(between - missed)
    if missed == 0 { fields.pointee.coalesced.add(1) }
  }

  /// Drops every due time up to `now` that is not counted yet. Ends the grid.
  func dropUnserved(until now: Nanoseconds) {
    let armed = fields.pointee.armed.load()
    if armed != 0 {
      if armed <= now { drop(DueGrid(first: armed, interval: fields.pointee.nextInterval.load()), until: now) }
      return
    }
    let isInCallout = fields.pointee.callouts.load() > 0
    if isInCallout { fields.pointee.left.store(now) }
    let (served, interval) = (fields.pointee.due.load(), fields.pointee.interval.load())
    guard served != 0, interval > 0 else { return }
    let passed = now.since(served) / interval
    let missed = fields.pointee.missed.load()
    guard passed > missed else { return }
    let inCallout = isInCallout ? passed : min(passed, fields.pointee.end.load().since(served) / interval)
    if inCallout > missed {
      fields.pointee.dropped.add(inCallout - missed)
      if missed == 0 { fields.pointee.coalesced.add(1) }
    }
    let counted = max(inCallout, missed)
    if passed > counted {
      drop(DueGrid(first: DueGrid(first: served, interval: interval).due(counted &+ 1), interval: interval), until: now)
    }
    fields.pointee.missed.store(passed)
  }

  /// Counts the due times of a grid up to `now` as dropped, with the reason where the loop's runs show it: the loop ran
  /// in a mode where the timer was due but never seen to fire, or it was outside any run.
  func drop(_ grid: DueGrid, until now: Nanoseconds, mayBeOutside: Bool = true) {
    fields.pointee.dropped.add(grid.count(until: now))
    let own = fields.pointee.modes.load()
    let known = max(grid.first, region.runs.knownSince)
    var covered: UInt64 = 0
    var explained: UInt64 = 0
    region.runs.forEach(after: known) { piece in
      let dropped = grid.count(from: max(piece.start, known), until: min(piece.end - 1, now))
      covered = covered.saturatingAdd(dropped)
      guard dropped > 0, piece.mode < TimerCounters.modeCount, own & 1 << UInt64(piece.mode) == 0 else { return }
      counters.droppedByMode[piece.mode].addReleasing(dropped)
      explained = explained.saturatingAdd(dropped)
    }
    let inQuestion = grid.count(from: known, until: now)
    if mayBeOutside, inQuestion > covered {
      fields.pointee.droppedOutside.addReleasing(inQuestion - covered)
      explained = explained.saturatingAdd(inQuestion - covered)
    }
    // Each is added in order: a thread that sees the sum has seen its parts.
    if explained > 0 { fields.pointee.explained.addReleasing(explained) }
  }
}
