extension LoopFold {
  /// A run begins: outermost, or nested in the one on top.
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
      wasHeld = pause(stack + (depth - 1), at: now)
    }
    push(Activation(counters: counters, phase: .prepare, at: now), at: now)
    if wasHeld { board.hold(from: now) } else { board.wake(at: now) }
    return !wasHeld
  }

  /// The run on top ends; the one below, if any, goes on. Returns true when the loop had waited and is now held.
  @discardableResult
  mutating func leave(at now: Nanoseconds) -> Bool {
    let top = stack + (depth - 1)
    let wasHeld = top.pointee.spanStart != 0
    closePhase(top, opening: .prepare, at: now)
    closeSpan(top, at: now)
    pop(at: now)
    guard depth > 0 else {
      leftAt = now
      board.stand(mode: top.pointee.counters.index, depth: 0, phase: .prepare, span: 0)
      board.rest()
      return false
    }
    return resume(stack + (depth - 1), wasHeld: wasHeld, at: now)
  }

  /// Brings the stack in line with an activity that is not of the run on top: observers were attached in the middle of
  /// a run, exits were missed, or runs are nested deeper than the stack. Returns nil when the run on top is now
  /// the right one and the activity is still to be folded; otherwise what ``observe(_:in:at:)`` returns.
  mutating func align(_ activity: Activity, in counters: ModeCounters, at now: Nanoseconds) -> Bool? {
    if overflow > 0 { return activity == .exit && leaveOverflow(at: now) }
    if let place = place(of: counters) {
      leave(downTo: place, at: now)
      return nil
    }
    guard depth > 0 else {
      arriveUnseen(in: counters, at: now)
      if activity == .exit {
        leftAt = now
        return false
      }
      return begin(with: activity, in: counters, at: now)
    }
    let top = stack + (depth - 1)
    let wasHeld = top.pointee.spanStart != 0
    blind(top, at: now)
    if activity == .exit { return resume(top, wasHeld: wasHeld, at: now) }
    guard depth < Self.maximumDepth else {
      overflow(at: now)
      return false
    }
    return begin(with: activity, in: counters, at: now) && !wasHeld
  }

  /// The waking of a loop that was not seen to fall asleep: how much of the time before was sleep, nobody can say.
  mutating func wakeUnslept(_ top: UnsafeMutablePointer<Activation>, at now: Nanoseconds) -> Bool {
    let wasHeld = top.pointee.spanStart != 0
    blind(top, at: now)
    closePhase(top, opening: .service, at: now)
    top.pointee.gapStart = 0
    return turn(top, at: now) && !wasHeld
  }

  /// Puts a run on top whose first observed activity is not its entry. Returns whether it is in a span.
  private mutating func begin(with activity: Activity, in counters: ModeCounters, at now: Nanoseconds) -> Bool {
    var activation = Activation(counters: counters, phase: .prepare, at: now)
    switch activity {
    case .beforeSources:
      activation.phase = .sources
      activation.gapStart = now
    case .beforeWaiting:
      activation.phase = .waiting
      activation.spanStart = 0
    case .afterWaiting: activation.phase = .service
    default: counters.iterated()
    }
    activation.spanPhase = activation.phase
    push(activation, at: now)
    if activation.phase == .waiting {
      board.rest()
      return false
    }
    board.wake(at: now)
    return true
  }

  /// The loop's thread comes back from outside any run.
  private mutating func arrive(at now: Nanoseconds) {
    guard leftAt != 0 else { return }
    let away = now.since(leftAt)
    board.addOutside(away)
    if away > Self.reentry { endBusyRun(at: leftAt) }
    leftAt = 0
  }

  /// The loop is in a run that was not seen to begin. When it did, after the last observed run, nobody can say.
  private mutating func arriveUnseen(in counters: ModeCounters, at now: Nanoseconds) {
    guard leftAt != 0 else { return }
    endBusyRun(at: leftAt)
    _ = queue.push(
      LongSpell(
        kind: .blind, phase: .prepare, depth: 0, mode: UInt16(truncatingIfNeeded: counters.index), start: leftAt,
        end: now, own: now.since(leftAt)))
    leftAt = 0
  }

  /// Stops charging a run while another is nested in it. Returns whether it was in a span.
  private mutating func pause(_ activation: UnsafeMutablePointer<Activation>, at now: Nanoseconds) -> Bool {
    let held = activation.pointee.spanStart != 0
    activation.pointee.earlier &+= now.since(activation.pointee.mark)
    activation.pointee.mark = now
    closeSpan(activation, at: now)
    return held
  }

  /// Goes on charging a run after the one nested in it has ended: a new span, the same phase. Returns true when the loop
  /// was not held in the nested run, and now is.
  private mutating func resume(
    _ activation: UnsafeMutablePointer<Activation>, wasHeld: Bool, at now: Nanoseconds
  ) -> Bool {
    activation.pointee.mark = now
    if activation.pointee.phase == .waiting {
      endBusyRun(at: now)
      show(activation)
      board.rest()
      return false
    }
    openSpan(activation, at: now)
    show(activation)
    if wasHeld { board.hold(from: now) } else { board.wake(at: now) }
    return !wasHeld
  }

  /// Sets aside the time since the last activity, in which the loop may have slept, or the run on top ended and another,
  /// unobserved, begun: nobody can say how much of it was whose. It ends the busy run, because it may hold a wait.
  private mutating func blind(_ activation: UnsafeMutablePointer<Activation>, at now: Nanoseconds) {
    let start = activation.pointee.mark
    endBusyRun(at: start)
    setAside(.blind, activation, phase: activation.pointee.phase, from: start, to: now, own: now.since(start))
    activation.pointee.spanStart = 0
    activation.pointee.mark = now
  }

  /// A run begins that finds no room on the stack. Nothing is seen of the loop until it has ended.
  private mutating func overflow(at now: Nanoseconds) {
    if overflow == 0 {
      let top = stack + (depth - 1)
      _ = pause(top, at: now)
      show(top)
      board.rest()
    }
    overflow += 1
    board.loseActivation()
  }

  /// A run without room on the stack ends. Returns what ``resume(_:wasHeld:at:)`` returns, after the last one.
  private mutating func leaveOverflow(at now: Nanoseconds) -> Bool {
    overflow -= 1
    guard overflow == 0 else { return false }
    let top = stack + (depth - 1)
    blind(top, at: now)
    return resume(top, wasHeld: false, at: now)
  }

  /// Ends the runs above `place`, whose exits were missed.
  private mutating func leave(downTo place: Int, at now: Nanoseconds) {
    guard depth - 1 > place else { return }
    let wasHeld = stack[depth - 1].spanStart != 0
    while depth - 1 > place { leave(at: now) }
    // The span that has just been opened begins with the activity to come, which then tells that the loop had waited.
    if !wasHeld { stack[place].spanStart = 0 }
  }

  /// Where on the stack the innermost run in a mode is; nil when there is none.
  private func place(of counters: ModeCounters) -> Int? {
    var place = depth - 1
    while place >= 0, stack[place].counters.index != counters.index { place -= 1 }
    return place < 0 ? nil : place
  }

  private mutating func push(_ activation: Activation, at now: Nanoseconds) {
    chargeStarvation(until: now)
    (stack + depth).initialize(to: activation)
    depth += 1
    show(stack + (depth - 1))
  }

  private mutating func pop(at now: Nanoseconds) {
    chargeStarvation(until: now)
    depth -= 1
  }

  /// Charges the time since the stack last changed to every mode in it that is not the one on top, once each.
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
