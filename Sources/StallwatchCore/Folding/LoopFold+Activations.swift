extension LoopFold {
  /// A run begins: outermost, or nested in the one on top.
  mutating func enter(_ counters: ModeCounters, at now: Nanoseconds) -> Bool {
    guard depth < Self.maximumDepth else {
      overflow += 1
      board.loseActivation()
      return false
    }
    counters.entered()
    let wasHeld: Bool
    if depth == 0 {
      wasHeld = false
      arrive(at: now)
    } else {
      wasHeld = pause(stack + (depth - 1), at: now)
    }
    push(Activation(counters: counters, phase: .prepare, at: now), at: now)
    if wasHeld {
      board.hold(from: now)
    } else {
      board.wake(at: now)
    }
    return !wasHeld
  }

  /// The run on top ends; the one below, if any, goes on.
  mutating func leave(at now: Nanoseconds) {
    let top = stack + (depth - 1)
    closePhase(top, opening: .prepare, at: now)
    closeSpan(top, at: now)
    pop(at: now)
    if depth == 0 {
      leftAt = now
      board.stand(mode: top.pointee.counters.index, depth: 0, phase: .prepare)
      board.rest()
    } else {
      resume(stack + (depth - 1), at: now)
    }
  }

  /// Brings the stack in line with an activity that is not of the run on top: observers were attached in the middle of
  /// a run, exits were missed, or runs are nested deeper than the stack. Returns nil when the run on top is now
  /// the right one and the activity is still to be folded; otherwise what ``observe(_:in:at:)`` returns.
  mutating func align(_ activity: Activity, in counters: ModeCounters, at now: Nanoseconds) -> Bool? {
    if overflow > 0 {
      if activity == .exit { overflow -= 1 }
      return false
    }
    if let place = (0..<depth).last(where: { stack[$0].counters.index == counters.index }) {
      while depth - 1 > place { leave(at: now) }
      return nil
    }
    let wasHeld = depth > 0 && stack[depth - 1].spanStart != 0
    if depth == 0 { arrive(at: now) } else { blind(stack + (depth - 1), at: now) }
    if activity == .exit {
      if depth == 0 { leftAt = now } else { resume(stack + (depth - 1), at: now) }
      return false
    }
    guard depth < Self.maximumDepth else {
      board.loseActivation()
      resume(stack + (depth - 1), at: now)
      return false
    }
    return begin(with: activity, in: counters, at: now) && !wasHeld
  }

  /// Puts a run on top whose first observed activity is not its entry. Returns whether it is in a span.
  private mutating func begin(with activity: Activity, in counters: ModeCounters, at now: Nanoseconds) -> Bool {
    let phase: Phase =
      switch activity {
      case .beforeSources: .sources
      case .beforeWaiting: .waiting
      case .afterWaiting: .service
      default: .prepare
      }
    if activity == .beforeTimers { counters.iterated() }
    push(Activation(counters: counters, phase: phase, at: now), at: now)
    if phase == .sources { stack[depth - 1].gapStart = now }
    if phase == .waiting {
      stack[depth - 1].spanStart = 0
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

  /// Stops charging a run while another is nested in it. Returns whether it was in a span.
  private mutating func pause(_ activation: UnsafeMutablePointer<Activation>, at now: Nanoseconds) -> Bool {
    let held = activation.pointee.spanStart != 0
    activation.pointee.earlier &+= now.since(activation.pointee.mark)
    closeSpan(activation, at: now)
    return held
  }

  /// Goes on charging a run after the one nested in it has ended: a new span, the same phase.
  private mutating func resume(_ activation: UnsafeMutablePointer<Activation>, at now: Nanoseconds) {
    activation.pointee.mark = now
    show(activation)
    if activation.pointee.phase == .waiting {
      board.rest()
    } else {
      openSpan(activation, phase: activation.pointee.phase, at: now)
      board.hold(from: now)
    }
  }

  /// Sets aside the time in which the run on top may have ended and another, unobserved, begun: nobody can say how much
  /// of it was whose.
  private mutating func blind(_ activation: UnsafeMutablePointer<Activation>, at now: Nanoseconds) {
    let start = activation.pointee.mark
    setAside(.blind, activation, phase: activation.pointee.phase, from: start, to: now, own: now.since(start))
    activation.pointee.spanStart = 0
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
    if depth > 1 {
      let duration = now.since(topSince)
      let running = stack[depth - 1].counters.index
      for place in 0..<(depth - 1) {
        let counters = stack[place].counters
        let charged = (0..<place).contains { stack[$0].counters.index == counters.index }
        if counters.index != running, !charged { counters.starve(duration) }
      }
    }
    topSince = now
  }
}
