import CoreFoundation
import StallwatchCore

/// Finds modes that were made after their loop came under watch, where no hooks show them.
extension Watchdog {
  /// Looks for new modes if a run in one may have passed unseen: in a span that is about to become a stall, or outside
  /// any run; and when watching ends. Not otherwise, because it takes CF's lock on the loop.
  func lookForNewModes(of watched: WatchedLoop, position: LoopPosition, now: Nanoseconds, isLast: Bool = false) {
    let region = watched.memory.region
    let isHeld = position.spanStart.map { now.since($0) >= configuration.threshold } ?? false
    let isFirst = !watched.wasSeenActive && region.activities > 0
    let wasOutside = region.outside != watched.modesSeenOutside || isOutsideCheckDue(of: watched, position, now: now)
    guard isHeld || isFirst || wasOutside || isLast else { return }
    watched.wasSeenActive = region.activities > 0
    let isInNewMode = isHeld && runsInNewMode(watched)
    attachNewModes(of: watched)
    // Only if the loop has not moved on: then the new mode's run lies in this span.
    if isInNewMode, let start = position.spanStart, region.position.spanStart == start { watched.unseenSpan = start }
  }

  /// Attaches to new modes. The loop may have run in one since the last look, so the time outside runs since then
  /// becomes blind. A run that still goes on shows in the fold, at the first activity of the new mode.
  func attachNewModes(of watched: WatchedLoop) {
    let foundNew = registry.attachNewModes(of: watched)
    let (outside, now) = (watched.memory.region.outside, Platform.now())
    let passed = outside - watched.modesSeenOutside
    if foundNew { watched.newModes = (watched.modesSeenNs, now) }
    if foundNew, passed > 0 { outbox.reportUnobserved(watched.id, from: watched.modesSeenNs, to: now, for: passed) }
    (watched.modesSeenNs, watched.modesSeenOutside) = (now, outside)
  }

  /// A span that ended before the watchdog looked may hide a run in a new mode: nobody can tell it from a hold.
  func lookForUnseenRun(in spells: [LongSpell], of watched: WatchedLoop) {
    guard !seesEveryMode, !watched.isStalled else { return }
    let spans = spells.filter { $0.kind == .span }
    if spans.contains(where: { $0.end > watched.modesSeenNs }) { attachNewModes(of: watched) }
    guard let found = watched.newModes,
      let span = spans.first(where: { $0.start < found.foundNs && $0.end > found.sinceNs })
    else { return }
    watched.unseenSpan = span.start
  }

  /// Whether it is time to look at a loop that is outside any run.
  private func isOutsideCheckDue(of watched: WatchedLoop, _ position: LoopPosition, now: Nanoseconds) -> Bool {
    guard position.isOutside else {
      watched.outsideSince = nil
      return false
    }
    let since = watched.outsideSince ?? now
    if watched.outsideSince != nil, now < watched.nextOutsideCheck { return false }
    watched.outsideSince = since
    watched.nextOutsideCheck = now.saturatingAdd(configuration.outsideCheckPause(after: now.since(since)))
    return true
  }

  /// When a parked watchdog has to look again although no loop wakes it; 0: never.
  func nextOutsideCheck(_ loops: [WatchedLoop]) -> Nanoseconds {
    guard !seesEveryMode else { return 0 }
    return loops.filter { $0.memory.region.position.isOutside }.map(\.nextOutsideCheck).min() ?? 0
  }

  private func runsInNewMode(_ watched: WatchedLoop) -> Bool {
    let current = watched.withLoop { loop in CFRunLoopCopyCurrentMode(loop) }
    guard let current, let mode = current else { return false }
    return !watched.isAttached(mode)
  }
}
