/// One loop's stalls, from began to ended or cancelled. Pure: callers pass every time in. For the watchdog's thread.
///
/// It joins two sources: the watchdog's look at the loop shows a stall while it goes on; the fold's spell gives its
/// exact end. A stall that the watchdog missed is still reported, late, from its spell.
package struct StallTracker {
  private let loop: LoopID
  private let threshold: Nanoseconds
  private var open: StallBegan?
  /// Every span that began before is over and reported, even if an earlier look at the loop still shows it.
  private var reportedUntil: Nanoseconds = 0

  /// A tracker for `loop`; `threshold` in nanoseconds.
  package init(loop: LoopID, threshold: Nanoseconds) {
    self.loop = loop
    self.threshold = threshold
  }

  /// The stall under way, as far as known.
  package var current: StallBegan? { open }

  /// When the span seen in `position` would become a stall; nil when there is no span, it has become one, or its end is
  /// already known.
  package func deadline(for position: LoopPosition, excluding exclusions: Exclusions, at now: Nanoseconds)
    -> Nanoseconds?
  {
    guard let start = position.spanStart, start >= reportedUntil, open?.startedNs != start else { return nil }
    return start.saturatingAdd(threshold).saturatingAdd(exclusions.overlap(from: start, to: now))
  }

  /// Looks at a loop. Returns a stall that has just become known, with the ID from `number()`.
  package mutating func look(
    at position: LoopPosition, excluding exclusions: Exclusions, now: Nanoseconds, number: () -> StallID,
    annotations: () -> [String: String]
  ) -> StallBegan? {
    guard let deadline = deadline(for: position, excluding: exclusions, at: now), now >= deadline,
      let start = position.spanStart
    else { return nil }
    let began = StallBegan(
      id: number(), loop: loop, mode: position.mode, phase: position.phase, depth: position.depth, kind: .stall,
      startedNs: start, detectedNs: now, annotations: annotations())
    open = began
    return began
  }

  /// Takes a spell of the loop, without excluded time. Returns what it means for stalls: the end of the open one, or a
  /// whole one that was over before the watchdog saw it. The spell may end after `now`.
  package mutating func take(
    _ spell: LongSpell, now: Nanoseconds, number: () -> StallID, annotations: () -> [String: String]
  ) -> [Record] {
    switch spell.kind {
    case .phase, .gap, .outside: return []
    case .blind:
      reportedUntil = max(reportedUntil, spell.end)
      return cancelOpen(within: spell)
    case .span: reportedUntil = max(reportedUntil, spell.end)
    case .busyRun: break
    }
    if spell.kind == .span, let began = open, began.startedNs == spell.start {
      open = nil
      return [end(of: began, duration: spell.own, phase: spell.phase)]
    }
    guard spell.own >= threshold else { return [] }
    let began = StallBegan(
      id: number(), loop: loop, mode: Int(spell.mode), phase: spell.phase, depth: Int(spell.depth),
      kind: spell.kind == .span ? .stall : .congestion, startedNs: spell.start, detectedNs: max(now, spell.end),
      annotations: annotations())
    return [
      .stallBegan(began),
      .stallEnded(StallEnded(id: began.id, state: .ended, duration: spell.own, phase: spell.phase)),
    ]
  }

  /// Ends the open stall when its span is over but no spell reported it (the queue was full), or when watching stops.
  /// Call it after draining the queue, with a look taken before that.
  package mutating func reconcile(
    with position: LoopPosition, excluding exclusions: Exclusions = Exclusions(), now: Nanoseconds,
    stopping: Bool = false
  ) -> Record? {
    guard let began = open, stopping || position.spanStart != began.startedNs else { return nil }
    open = nil
    let end = position.spanStart.map { $0 == began.startedNs ? now : $0 } ?? now
    let duration = end.since(began.startedNs).since(exclusions.overlap(from: began.startedNs, to: end))
    return self.end(
      of: began, duration: duration, phase: began.phase, reason: stopping ? "watching stopped" : "its end was lost")
  }

  /// The end of a stall; cancelled when too little of it remains without excluded time.
  private func end(of began: StallBegan, duration: Nanoseconds, phase: Phase, reason: String? = nil) -> Record {
    let isStall = duration >= threshold
    return .stallEnded(
      StallEnded(
        id: began.id, state: isStall ? .ended : .cancelled, duration: duration, phase: phase,
        reason: isStall ? reason : "the process was suspended"))
  }

  private mutating func cancelOpen(within spell: LongSpell) -> [Record] {
    guard let began = open, began.startedNs < spell.end else { return [] }
    open = nil
    return [
      .stallEnded(
        StallEnded(
          id: began.id, state: .cancelled, duration: spell.end.since(began.startedNs), phase: began.phase,
          reason: "the loop ran in a mode not yet observed"))
    ]
  }
}
