extension LoopFold {
  /// Begins a run: outermost, or nested in the one on top. Returns true when the loop was not held and now is.
  mutating func enter(_ counters: ModeCounters, at now: Nanoseconds) -> Bool {
    guard depth < Self.maximumDepth else {
      overflow(at: now)
      return false
    }
    counters.entered()
    var wasHeld = false
    if depth == 0 {
      arrive(at: now)
    } else {
      if overflow == Self.inTickWake { foldKeptBack() }
      wasHeld = pause(top, at: now)
    }
    push(Activation(counters: counters, depth: depth &+ 1, at: now), at: now)
    if region.isTickDue(at: now) { serveTick(in: counters, at: now) }
    if wasHeld { region.hold(from: now) } else { region.wake(at: now) }
    return !wasHeld
  }

  /// Ends the run on top; the one below, if any, goes on. Returns true when the loop had waited and is now held.
  @discardableResult
  mutating func leave(at now: Nanoseconds) -> Bool {
    let top = top
    let wasHeld = top.pointee.spanStart != 0
    let (phase, start) = (top.pointee.phase, top.pointee.phaseStart)
    closePhase(top, opening: .prepare, at: now)
    closeSpan(top, in: phase, since: start, at: now)
    // Now, because the thread may stay outside for long, and that time makes no tick of this run late.
    if depth == 1, region.isTickDue(at: now) { serveTick(in: top.pointee.counters, at: now) }
    pop(at: now)
    guard depth > 0 else {
      leftAt = now
      region.stand(PlaceWord(mode: top.pointee.counters.index, depth: 0))
      region.rest(from: now)
      return false
    }
    return resume(self.top, wasHeld: wasHeld, at: now)
  }

  /// Notes that the loop's thread comes back from outside any run.
  private mutating func arrive(at now: Nanoseconds) {
    skipTicks(outsideSince: leftAt != 0 ? leftAt : startedNs, at: now)
    guard leftAt != 0 else { return }
    let outside = now.since(leftAt)
    region.addOutside(outside)
    if outside > Self.reentry { endBusyRun(at: leftAt) }
    if outside >= threshold { reportOutside(at: now) }
    leftAt = 0
  }

  /// Sets aside a stay outside any run that reached the threshold, after the mode that the region still shows. Only the
  /// watchdog knows whether work was due; a timer that was due comes late now, and shows it.
  private func reportOutside(at now: Nanoseconds) {
    region.closeLongSpan(at: now)
    region.spells.push(
      LongSpell(
        kind: .outside, phase: .waiting, depth: 0, mode: UInt16(truncatingIfNeeded: region.lastMode), start: leftAt,
        end: now, own: now.since(leftAt)))
  }

  /// Stops charging a run while another is nested in it. Returns whether the run was in a span.
  mutating func pause(_ activation: UnsafeMutablePointer<Activation>, at now: Nanoseconds) -> Bool {
    let held = activation.pointee.spanStart != 0
    closeSpan(activation, in: activation.pointee.phase, since: activation.pointee.phaseStart, at: now)
    activation.pointee.pause(at: now)
    return held
  }

  /// Goes on charging a run when the one nested in it has ended: a new span in the same phase. Returns true when the
  /// loop was not held in the nested run and now is.
  mutating func resume(
    _ activation: UnsafeMutablePointer<Activation>, wasHeld: Bool, at now: Nanoseconds
  ) -> Bool {
    activation.pointee.leaveOut(from: activation.pointee.lastSeen, until: now)
    if activation.pointee.phase == .waiting {
      endBusyRun(at: now)
      show(activation)
      region.rest(from: now)
      return false
    }
    activation.pointee.beginSpan(at: now)
    show(activation)
    if wasHeld { region.hold(from: now) } else { region.wake(at: now) }
    return !wasHeld
  }

  mutating func push(_ activation: Activation, at now: Nanoseconds) {
    chargeStarvation(until: now)
    top = stack + depth
    top.initialize(to: activation)
    depth &+= 1
    current = activation.counters.address
    region.runs.pass(to: activation.counters.index, at: now)
    show(top)
  }

  private mutating func pop(at now: Nanoseconds) {
    chargeStarvation(until: now)
    depth &-= 1
    guard depth > 0 else {
      current = 0
      return region.runs.leave(at: now)
    }
    top = stack + (depth - 1)
    current = top.pointee.counters.address
    region.runs.pass(to: top.pointee.counters.index, at: now)
  }

  /// Charges the time since the stack last changed to every mode in it except the one on top, once each.
  private mutating func chargeStarvation(until now: Nanoseconds) {
    let duration = now.since(topSince)
    topSince = now
    guard depth > 1 else { return }
    let running = stack[depth - 1].counters.index
    for place in 0..<(depth - 1) where stack[place].counters.index != running && isFirst(place) {
      stack[place].counters.starve(duration)
    }
  }

  /// Whether no run below `place` is in the same mode.
  private func isFirst(_ place: Int) -> Bool {
    for lower in 0..<place where stack[lower].counters.index == stack[place].counters.index { return false }
    return true
  }
}
