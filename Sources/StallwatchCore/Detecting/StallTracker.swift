/// The life of one loop's stalls: began, ended or cancelled. Pure: time comes in as numbers.
///
/// Two sources agree here. The watchdog's look at the board knows of a stall while it goes on; the fold's spell knows
/// its exact end. A stall that the watchdog did not see in time is still told, late, from its spell.
public struct StallTracker {
  private let loop: LoopID
  private let threshold: Nanoseconds
  private var open: StallBegan?
  /// Every span that began before is over and told, even if a look at the board, taken earlier, still shows it.
  private var toldUntil: Nanoseconds = 0

  /// A tracker for one loop.
  public init(loop: LoopID, threshold: Nanoseconds) {
    self.loop = loop
    self.threshold = threshold
  }

  /// The stall that is going on, as far as known.
  public var current: StallBegan? { open }

  /// The moment at which the span seen in `sight` would become a stall; nil when there is no span, it has become one,
  /// or its end is already known.
  public func deadline(for sight: LoopSight, excluding exclusions: Exclusions, at now: Nanoseconds) -> Nanoseconds? {
    guard let start = sight.spanStart, start >= toldUntil, open?.startedNs != start else { return nil }
    return start.saturatingAdd(threshold).saturatingAdd(exclusions.overlap(from: start, to: now))
  }

  /// Looks at a loop. Returns a stall that has just become known, having used `number()` for its ID.
  public mutating func look(
    at sight: LoopSight, excluding exclusions: Exclusions, now: Nanoseconds, number: () -> StallID,
    annotations: () -> [String: String]
  ) -> StallBegan? {
    guard let deadline = deadline(for: sight, excluding: exclusions, at: now), now >= deadline,
      let start = sight.spanStart
    else { return nil }
    let began = StallBegan(
      id: number(), loop: loop, mode: sight.mode, phase: sight.phase, depth: sight.depth, kind: .stall,
      startedNs: start, detectedNs: now, annotations: annotations())
    open = began
    return began
  }

  /// Takes a settled spell of the loop and returns what it means for stalls: the end of the open one, or one that was
  /// over before the watchdog saw it. A spell may have ended after `now` was read.
  public mutating func take(
    _ spell: LongSpell, now: Nanoseconds, number: () -> StallID, annotations: () -> [String: String]
  ) -> [Record] {
    switch spell.kind {
    case .phase, .gap, .outside: return []
    case .blind:
      toldUntil = max(toldUntil, spell.end)
      return cancelOpen(within: spell)
    case .span: toldUntil = max(toldUntil, spell.end)
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

  /// Ends a stall whose span is over although no spell told of it (the queue was full), or because watching stops. Call
  /// after the queue was drained, with a look taken before that.
  public mutating func reconcile(
    with sight: LoopSight, excluding exclusions: Exclusions = Exclusions(), now: Nanoseconds, stopping: Bool = false
  ) -> Record? {
    guard let began = open, stopping || sight.spanStart != began.startedNs else { return nil }
    open = nil
    let end = sight.spanStart.map { $0 == began.startedNs ? now : $0 } ?? now
    let duration = end.since(began.startedNs).since(exclusions.overlap(from: began.startedNs, to: end))
    return self.end(
      of: began, duration: duration, phase: began.phase, reason: stopping ? "watching stopped" : "its end was lost")
  }

  /// The end of a stall, or what it comes to when too little is left of it without the excluded time.
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
