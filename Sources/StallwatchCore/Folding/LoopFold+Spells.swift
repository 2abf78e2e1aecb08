extension LoopFold {
  /// Ends the current phase, charges it, and begins `next`. Returns the length of the phase that ended.
  @inline(__always)
  @discardableResult
  func closePhase(_ top: UnsafeMutablePointer<Activation>, opening next: Phase, at now: Nanoseconds) -> Nanoseconds {
    let duration = top.pointee.earlier &+ now.since(top.pointee.mark)
    let phase = top.pointee.phase
    if duration < threshold || phase == .waiting {
      top.pointee.counters.record(Metric(unchecked: phase), duration)
    } else {
      setAside(.phase, top, phase: phase, from: top.pointee.phaseStart, to: now, own: duration)
    }
    top.pointee.phase = next
    top.pointee.mark = now
    top.pointee.phaseStart = now
    top.pointee.earlier = 0
    return duration
  }

  /// Ends a piece of the current phase, which goes on.
  @inline(__always)
  func endPiece(_ activation: UnsafeMutablePointer<Activation>, at now: Nanoseconds) {
    activation.pointee.earlier &+= now.since(activation.pointee.mark)
    activation.pointee.mark = now
  }

  /// Ends the gap of an iteration that waited.
  @inline(__always)
  func closeGap(_ top: UnsafeMutablePointer<Activation>, waited: Nanoseconds, at now: Nanoseconds) {
    guard top.pointee.gapStart != 0 else { return }
    let duration = top.pointee.gapSources &+ waited
    if top.pointee.gapSources < threshold {
      top.pointee.counters.record(.gap, duration)
    } else {
      setAside(.gap, top, phase: .sources, from: top.pointee.gapStart, to: now, own: duration)
    }
    top.pointee.gapStart = 0
  }

  /// Begins a span in the current phase.
  @inline(__always)
  func openSpan(_ top: UnsafeMutablePointer<Activation>, at now: Nanoseconds) {
    top.pointee.spanStart = now
    top.pointee.spanTurn = 0
    top.pointee.spanPhase = top.pointee.phase
  }

  /// Ends the current span, if there is one, and adds it to the busy run.
  @inline(__always)
  mutating func closeSpan(_ top: UnsafeMutablePointer<Activation>, at now: Nanoseconds) {
    let start = top.pointee.spanStart
    guard start != 0 else { return }
    let duration = now.since(start)
    top.pointee.spanStart = 0
    if busy.start == 0 {
      busy = BusyRun(
        start: start, depth: UInt8(truncatingIfNeeded: depth),
        mode: UInt16(truncatingIfNeeded: top.pointee.counters.index),
        phase: top.pointee.spanPhase)
    }
    busy.total &+= duration
    if duration < threshold {
      top.pointee.counters.record(.span, duration)
    } else {
      busy.hasStall = true
      region.closeLongSpan(at: now)
      setAside(
        .span, top, phase: Self.mainPhase(of: top.pointee, from: start, to: now), from: start, to: now, own: duration)
    }
  }

  /// The phase that took the greater part of a span.
  private static func mainPhase(of activation: Activation, from start: Nanoseconds, to end: Nanoseconds) -> Phase {
    let turn = activation.spanTurn
    guard turn != 0 else { return activation.spanPhase }
    return turn.since(start) >= end.since(turn) ? activation.spanPhase : .sources
  }

  /// Ends the busy run: at a wait, or after a pause outside any run.
  @inline(__always)
  mutating func endBusyRun(at now: Nanoseconds) {
    if busy.total >= threshold, !busy.hasStall {
      region.spells.push(
        LongSpell(
          kind: .busyRun, phase: busy.phase, depth: busy.depth, mode: busy.mode, start: busy.start, end: now,
          own: busy.total))
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

/// The current busy run: consecutive spans without a wait. Depth, mode and phase are those of its first span.
struct BusyRun {
  /// When the first span began; 0 when there is no busy run.
  var start: Nanoseconds = 0
  var depth: UInt8 = 0
  var mode: UInt16 = 0
  var phase: Phase = .prepare
  /// The sum of its spans, in nanoseconds.
  var total: Nanoseconds = 0
  /// Whether one of the spans is a stall.
  var hasStall = false
}
