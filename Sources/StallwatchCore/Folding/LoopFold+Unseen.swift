/// How the fold takes activities that do not follow from the earlier ones.
extension LoopFold {
  /// Brings the stack in line with an activity of another run than the one on top: observers were attached in the
  /// middle of a run, exits were missed, or runs are nested deeper than the stack. Returns nil when the run on top is
  /// now the right one and the activity is yet to be folded; otherwise what ``observe(_:in:at:)`` returns.
  mutating func align(_ activity: Activity, in counters: ModeCounters, at now: Nanoseconds) -> Bool? {
    if overflow > 0 { return activity == .exit && leaveOverflow(at: now) }
    if overflow == Self.inTickWake, keepBack(activity, in: counters, at: now) { return false }
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
    let top = top
    let wasHeld = top.pointee.spanStart != 0
    blind(top, at: now)
    if activity == .exit { return resume(top, wasHeld: wasHeld, at: now) }
    guard depth < Self.maximumDepth else {
      overflow(at: now)
      return false
    }
    return begin(with: activity, in: counters, at: now) && !wasHeld
  }

  /// Takes the wake-up of a loop that was not seen to fall asleep: how much of the time before was sleep is unknown.
  mutating func wakeUnslept(_ top: UnsafeMutablePointer<Activation>, at now: Nanoseconds) -> Bool {
    let wasHeld = top.pointee.spanStart != 0
    blind(top, at: now)
    let (phase, start) = (top.pointee.phase, top.pointee.phaseStart)
    closePhase(top, opening: .service, at: now)
    return turn(top, from: phase, since: start, at: now) && !wasHeld
  }

  /// Puts a run on top whose first observed activity is not its entry. Returns whether the run is in a span.
  private mutating func begin(with activity: Activity, in counters: ModeCounters, at now: Nanoseconds) -> Bool {
    let phase: Phase
    switch activity {
    case .beforeSources: phase = .sources
    case .beforeWaiting: phase = .waiting
    case .afterWaiting: phase = .service
    default:
      phase = .prepare
      counters.iterated()
    }
    var activation = Activation(counters: counters, depth: depth + 1, phase: phase, at: now)
    if phase == .waiting { activation.spanStart = 0 }
    push(activation, at: now)
    if phase == .waiting {
      region.rest(from: now)
      return false
    }
    region.wake(at: now)
    return true
  }

  /// Notes that the loop is in a run that began unseen, at some time after the last observed run or after watching
  /// began.
  private mutating func arriveUnseen(in counters: ModeCounters, at now: Nanoseconds) {
    region.runs.blind(from: leftAt, to: now)
    let since = leftAt != 0 ? leftAt : startedNs
    skipTicks(outsideSince: since, at: now)
    guard since != 0 else { return }
    endBusyRun(at: since)
    region.spells.push(
      LongSpell(
        kind: .blind, phase: .prepare, depth: 0, mode: UInt16(truncatingIfNeeded: counters.index), start: since,
        end: now, own: now.since(since)))
    leftAt = 0
  }

  /// Sets aside the time since the last activity as unobserved: the loop may have slept, or the run on top may have
  /// ended and an unobserved one begun, and the shares are unknown. Cuts the span at that activity, and ends the busy
  /// run, because that time may hold a wait.
  private mutating func blind(_ activation: UnsafeMutablePointer<Activation>, at now: Nanoseconds) {
    let start = activation.pointee.lastSeen
    let phase = activation.pointee.phase
    if activation.pointee.spanStart < start {
      closeSpan(activation, in: phase, since: activation.pointee.phaseStart, at: start)
    }
    activation.pointee.spanStart = 0
    endBusyRun(at: start)
    setAside(.blind, activation, phase: phase, from: start, to: now, own: now.since(start))
    activation.pointee.leaveOut(from: start, until: now)
  }

  /// Begins a run that finds no room on the stack. The loop is unobserved until that run has ended.
  mutating func overflow(at now: Nanoseconds) {
    if overflow == Self.inTickWake { foldKeptBack() }
    if overflow == 0 {
      _ = pause(top, at: now)
      show(top)
      region.rest(from: now)
      current = 0
    }
    overflow += 1
    region.loseActivation()
  }

  /// Ends a run without room on the stack. After the last such run returns what ``resume(_:wasHeld:at:)`` returns.
  private mutating func leaveOverflow(at now: Nanoseconds) -> Bool {
    overflow -= 1
    guard overflow == 0 else { return false }
    current = top.pointee.counters.address
    blind(top, at: now)
    return resume(top, wasHeld: false, at: now)
  }

  /// Ends the runs above `place`, whose exits were missed.
  private mutating func leave(downTo place: Int, at now: Nanoseconds) {
    guard depth - 1 > place else { return }
    let wasHeld = stack[depth - 1].spanStart != 0
    while depth - 1 > place { leave(at: now) }
    // The span just opened begins with the coming activity, which then shows that the loop had waited.
    if !wasHeld { stack[place].spanStart = 0 }
  }

  /// The place on the stack of the innermost run in the mode; nil when no run is in it.
  private func place(of counters: ModeCounters) -> Int? {
    var place = depth - 1
    while place >= 0, stack[place].counters.index != counters.index { place -= 1 }
    return place < 0 ? nil : place
  }
}
