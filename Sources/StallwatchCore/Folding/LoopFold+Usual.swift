/// The usual course of a turning loop, in as few instructions as possible: activities in their usual order, nothing as
/// long as the threshold, no tick due, every duration in a group of counters that is taken.
///
/// Each function first finds out whether all is usual, and otherwise hands over to ``fold(in:at:_:)`` before it has
/// changed anything. Both come to the same (UsualCourseTests). Where a function calls another, that is the last thing
/// it does, with its own arguments in their order, so that it saves no registers and moves none: that was a fifth of
/// its instructions. Durations are counted last for this reason. A difference of times that is negative wraps around to
/// a long one, and is unusual. `a | b < threshold` says in one comparison that both are short; of two that are just
/// below the threshold it may say that they are not, which is unusual, no more.
extension LoopFold {
  @inline(__always)
  mutating func foldUsually(in counters: ModeCounters, at now: Nanoseconds, _ activity: Activity) -> Outcome {
    guard current == counters.address else {
      return activity == .entry ? enterUsually(counters, at: now) : fold(in: counters, at: now, activity)
    }
    switch activity {
    case .beforeTimers: return beginIteration(in: counters, at: now)
    case .beforeSources: return passToSources(in: counters, at: now)
    case .beforeWaiting: return fallAsleep(in: counters, at: now)
    case .afterWaiting: return wakeUp(in: counters, at: now)
    case .exit: return leaveUsually(counters, at: now)
    default: return fold(in: counters, at: now, activity)
    }
  }

  @inline(never)
  private mutating func beginIteration(in counters: ModeCounters, at now: Nanoseconds) -> Outcome {
    let top = top
    let phase = top.pointee.phase
    let duration = now &- top.pointee.phaseStart
    let span = now &- top.pointee.spanStart
    guard duration | span < threshold, !region.isTickDue(at: now) else {
      return fold(in: counters, at: now, .beforeTimers)
    }
    counters.iterated()
    addToBusyRun(span, of: top)
    let place = top.pointee.place.with(.prepare, span: now)
    top.pointee.spanStart = now
    top.pointee.spanPlace = place
    region.stand(place)
    region.hold(from: now)
    if phase == .prepare { return count(.span, span, in: counters, .folded) }
    top.pointee.phase = .prepare
    top.pointee.phaseStart = now
    return count(Metric(unchecked: phase), duration, .span, span, in: counters, .folded)
  }

  @inline(never)
  private mutating func passToSources(in counters: ModeCounters, at now: Nanoseconds) -> Outcome {
    let top = top
    let duration = now &- top.pointee.phaseStart
    let span = top.pointee.spanStart
    guard top.pointee.phase == .prepare, duration < threshold, span != 0 else {
      return fold(in: counters, at: now, .beforeSources)
    }
    top.pointee.phase = .sources
    top.pointee.phaseStart = now
    region.stand(top.pointee.place.with(.sources, span: span))
    return count(.prepare, duration, in: counters, .folded)
  }

  @inline(never)
  private mutating func fallAsleep(in counters: ModeCounters, at now: Nanoseconds) -> Outcome {
    let top = top
    let start = top.pointee.phaseStart
    let duration = now &- start
    let span = now &- top.pointee.spanStart
    guard top.pointee.phase == .sources, start != top.pointee.moved.to,
      duration | span | (busy.total &+ span) < threshold, !region.isTickDue(at: now)
    else { return fold(in: counters, at: now, .beforeWaiting) }
    top.pointee.phase = .waiting
    top.pointee.phaseStart = now
    top.pointee.gapStart = start
    top.pointee.gapSources = duration
    top.pointee.spanStart = 0
    busy.start = 0
    busy.total = 0
    region.stand(top.pointee.place.with(.waiting, span: 0))
    region.rest(from: now)
    return count(.sources, duration, .span, span, in: counters, .folded)
  }

  @inline(never)
  private mutating func wakeUp(in counters: ModeCounters, at now: Nanoseconds) -> Outcome {
    let top = top
    let waited = now.since(top.pointee.phaseStart)
    let sources = top.pointee.gapSources
    guard top.pointee.phase == .waiting, top.pointee.gapStart != 0, sources < threshold, !region.isTickDue(at: now)
    else { return fold(in: counters, at: now, .afterWaiting) }
    beginSpan(in: .service, of: top, from: now)
    region.wake(at: now)
    return count(.waiting, waited, .gap, sources &+ waited, in: counters, .woke)
  }

  /// Enters the mode again that the last run was in, soon after it.
  @inline(never)
  private mutating func enterUsually(_ counters: ModeCounters, at now: Nanoseconds) -> Outcome {
    let top = top
    let outside = now &- leftAt
    let isOtherRun = outside > Self.reentry
    guard depth == 0, outside < threshold, top.pointee.counters.address == counters.address,
      !region.isTickDue(at: now), !isOtherRun || busy.total < threshold
    else { return fold(in: counters, at: now, .entry) }
    if isOtherRun {
      busy.start = 0
      busy.total = 0
    }
    counters.entered()
    region.addOutside(outside)
    leftAt = 0
    depth = 1
    current = counters.address
    beginSpan(in: .prepare, of: top, from: now)
    region.wake(at: now)
    return isOtherRun || !region.runs.goOn(in: counters.index) ? beginRun(in: counters.index, at: now) : .woke
  }

  @inline(never)
  private func beginRun(in mode: Int, at now: Nanoseconds) -> Outcome {
    region.runs.beginAnew(in: mode, at: now)
    return .woke
  }

  /// Leaves the outermost run.
  @inline(never)
  private mutating func leaveUsually(_ counters: ModeCounters, at now: Nanoseconds) -> Outcome {
    let top = top
    let phase = top.pointee.phase
    let duration = now &- top.pointee.phaseStart
    let span = now &- top.pointee.spanStart
    guard depth == 1, duration | span < threshold, !region.isTickDue(at: now) else {
      return fold(in: counters, at: now, .exit)
    }
    addToBusyRun(span, of: top)
    depth = 0
    current = 0
    leftAt = now
    region.runs.leave(at: now)
    region.stand(top.pointee.place.outside)
    region.rest(from: now)
    return count(Metric(unchecked: phase), duration, .span, span, in: counters, .folded)
  }

  /// Begins a span, in a phase that begins with it.
  @inline(__always)
  func beginSpan(in phase: Phase, of top: UnsafeMutablePointer<Activation>, from now: Nanoseconds) {
    let place = top.pointee.place.with(phase, span: now)
    top.pointee.phase = phase
    top.pointee.phaseStart = now
    top.pointee.spanStart = now
    top.pointee.spanPlace = place
    region.stand(place)
  }

  @inline(__always)
  mutating func addToBusyRun(_ span: Nanoseconds, of top: UnsafeMutablePointer<Activation>) {
    if busy.start == 0 {
      busy.start = top.pointee.spanStart
      busy.place = top.pointee.spanPlace
    }
    busy.total &+= span
  }

  /// Adds samples of two metrics.
  @inline(__always)
  private func count(
    _ metric: Metric, _ duration: Nanoseconds, _ other: Metric, _ otherDuration: Nanoseconds,
    in counters: ModeCounters, _ outcome: Outcome
  ) -> Outcome {
    guard counters.recordUsual(metric, duration) else {
      return Self.countRarely(metric, duration, other, otherDuration, in: counters, outcome)
    }
    return count(other, otherDuration, in: counters, outcome)
  }

  /// Adds a sample of a metric.
  @inline(__always)
  private func count(
    _ metric: Metric, _ duration: Nanoseconds, in counters: ModeCounters, _ outcome: Outcome
  ) -> Outcome {
    guard counters.recordUsual(metric, duration) else {
      return Self.countRarely(metric, duration, in: counters, outcome)
    }
    return outcome
  }

  @inline(never)
  private static func countRarely(
    _ metric: Metric, _ duration: Nanoseconds, in counters: ModeCounters, _ outcome: Outcome
  ) -> Outcome {
    counters.record(metric, duration)
    return outcome
  }

  @inline(never)
  private static func countRarely(
    _ metric: Metric, _ duration: Nanoseconds, _ other: Metric, _ otherDuration: Nanoseconds,
    in counters: ModeCounters, _ outcome: Outcome
  ) -> Outcome {
    counters.record(metric, duration)
    counters.record(other, otherDuration)
    return outcome
  }
}
