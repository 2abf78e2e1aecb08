extension LoopFold {
  /// Ends the current phase, charges it, and begins `next`. Returns the length of the phase that ended.
  @discardableResult
  func closePhase(_ top: UnsafeMutablePointer<Activation>, opening next: Phase, at now: Nanoseconds) -> Nanoseconds {
    let (phase, start) = (top.pointee.phase, top.pointee.phaseStart)
    let duration = now.since(start)
    if duration < threshold || phase == .waiting {
      top.pointee.counters.record(Metric(unchecked: phase), duration)
    } else {
      setAside(.phase, top, phase: phase, from: top.pointee.began(start), to: now, own: duration)
    }
    top.pointee.phase = next
    top.pointee.phaseStart = now
    return duration
  }

  /// Ends the gap of a wait, if it has one.
  func closeGap(_ top: UnsafeMutablePointer<Activation>, waited: Nanoseconds, at now: Nanoseconds) {
    guard top.pointee.gapStart != 0 else { return }
    let sources = top.pointee.gapSources
    if sources < threshold {
      top.pointee.counters.record(.gap, sources &+ waited)
    } else {
      setAside(.gap, top, phase: .sources, from: top.pointee.gapStart, to: now, own: sources &+ waited)
    }
  }

  /// Ends the current span, if there is one, and adds it to the busy run. Its last phase began at `phaseStart`.
  mutating func closeSpan(
    _ top: UnsafeMutablePointer<Activation>, in phase: Phase, since phaseStart: Nanoseconds, at now: Nanoseconds
  ) {
    let start = top.pointee.spanStart
    guard start != 0 else { return }
    let duration = now.since(start)
    top.pointee.spanStart = 0
    if busy.start == 0 {
      busy.start = start
      busy.place = top.pointee.spanPlace
    }
    busy.total &+= duration
    if duration < threshold {
      top.pointee.counters.record(.span, duration)
    } else {
      busy.hasStall = true
      region.closeLongSpan(at: now)
      let main = Self.mainPhase(of: top.pointee, from: start, last: phase, since: phaseStart, to: now)
      setAside(.span, top, phase: main, from: start, to: now, own: duration)
    }
  }

  /// The phase that took the greater part of a span: the one that it began in, or the last, if it passed to another.
  private static func mainPhase(
    of activation: Activation, from start: Nanoseconds, last: Phase, since phaseStart: Nanoseconds, to end: Nanoseconds
  ) -> Phase {
    let turn = activation.began(phaseStart)
    return turn.since(start) >= end.since(turn) ? activation.spanPlace.phase : last
  }

  /// Ends the busy run: at a wait, or after a pause outside any run.
  mutating func endBusyRun(at now: Nanoseconds) {
    if busy.total >= threshold, !busy.hasStall {
      region.spells.push(
        LongSpell(
          kind: .busyRun, phase: busy.place.phase, depth: UInt8(truncatingIfNeeded: busy.place.depth),
          mode: UInt16(truncatingIfNeeded: busy.place.mode), start: busy.start, end: now, own: busy.total))
    }
    busy.start = 0
    busy.total = 0
    busy.hasStall = false
  }

  /// Hands a long duration to the watchdog. If the queue is full, counts it as a sample here, without a judgement.
  func setAside(
    _ kind: LongSpell.Kind, _ top: UnsafeMutablePointer<Activation>, phase: Phase, from start: Nanoseconds,
    to end: Nanoseconds, own: Nanoseconds
  ) {
    let spell = LongSpell(
      kind: kind, phase: phase, depth: UInt8(truncatingIfNeeded: depth),
      mode: UInt16(truncatingIfNeeded: top.pointee.counters.index), start: start, end: end, own: own)
    if region.spells.push(spell) { return }
    switch kind {
    case .phase: top.pointee.counters.record(Metric(unchecked: phase), own)
    case .gap: top.pointee.counters.record(.gap, own)
    case .span: top.pointee.counters.record(.span, own)
    case .busyRun, .blind, .outside: break
    }
  }
}

extension Metric {
  /// The metric of a phase, without the initialiser's check: the raw values are equal by definition.
  @inline(__always)
  init(unchecked phase: Phase) { self = unsafeBitCast(phase.rawValue, to: Metric.self) }
}

/// The current busy run: consecutive spans without a wait.
struct BusyRun {
  /// When the first span began, and where the loop stood then; the beginning is 0 when there is no busy run.
  var start: Nanoseconds = 0
  var place = PlaceWord(mode: 0, depth: 0)
  /// The sum of its spans, in nanoseconds.
  var total: Nanoseconds = 0
  /// Whether one of the spans is a stall.
  var hasStall = false
}
