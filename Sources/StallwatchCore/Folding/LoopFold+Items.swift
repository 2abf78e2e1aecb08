/// The usual course of a lane that is no run loop: an event loop, or the main queue under `dispatchMain()`. It shows when an
/// item ends and when the next one begins, and no more. So an item is one phase, service, and one span; the other phases of a
/// run loop's iteration would take no time, and yet have to be counted.
///
/// Where anything is unusual, the caller folds activities of a run loop at the same moment: beforeWaiting, and counts the
/// item (``ModeCounters/countItem()``); or beforeTimers and beforeSources; or afterWaiting. They come to the same but for the
/// phases' names.
extension LoopFold {
  /// Folds the end of an item, after which the lane waits or serves the next one at once, and counts it as one activity.
  /// Returns false if anything is unusual, and has then changed nothing.
  package mutating func endItem(waits: Bool, in counters: ModeCounters, at now: Nanoseconds) -> Bool {
    let top = top
    let (phase, start) = (top.pointee.phase, top.pointee.phaseStart)
    let duration = now &- start
    let span = now &- top.pointee.spanStart
    guard current == counters.address, phase != .waiting, start != top.pointee.moved.to,
      duration | span | (busy.total &+ span) < threshold, !region.isTickDue(at: now), region.countPlainActivity()
    else { return false }
    counters.iterated()
    if waits {
      busy.start = 0
      busy.total = 0
      top.pointee.phase = .waiting
      top.pointee.phaseStart = now
      top.pointee.gapStart = 0
      top.pointee.spanStart = 0
      region.stand(top.pointee.place.with(.waiting, span: 0))
      region.rest(from: now)
    } else {
      addToBusyRun(span, of: top)
      beginSpan(in: .service, of: top, from: now)
      region.hold(from: now)
    }
    counters[Metric(unchecked: phase)].record(duration)
    counters[.span].record(span)
    return true
  }

  /// Folds the begin of an item after a wait, as one activity. Returns false if anything is unusual, and has then changed
  /// nothing. Otherwise the lane is held now: a parked watchdog must be woken.
  package mutating func beginItem(in counters: ModeCounters, at now: Nanoseconds) -> Bool {
    let top = top
    guard current == counters.address, top.pointee.phase == .waiting, top.pointee.gapStart == 0,
      !region.isTickDue(at: now), region.countPlainActivity()
    else { return false }
    let waited = now.since(top.pointee.phaseStart)
    beginSpan(in: .service, of: top, from: now)
    region.wake(at: now)
    counters[.waiting].record(waited)
    return true
  }
}

extension ModeCounters {
  /// Counts an item whose end is folded as beforeWaiting, which counts none. For the lane's thread: one store.
  package func countItem() { iterated() }
}
