/// Reads one timer's counters, and computes how they grew since the last reading. For the watchdog's thread.
package struct TimerReader {
  /// What the last reading found.
  private struct Seen {
    var fired: UInt64 = 0
    var dropped: UInt64 = 0
    var droppedOutside: UInt64 = 0
    var droppedByMode = [UInt64](repeating: 0, count: TimerCounters.modeCount)
    var explained: UInt64 = 0
    var coalesced: UInt64 = 0
    var rearmed: UInt64 = 0
    var intervalChanges: UInt64 = 0
    var calloutTotal: UInt64 = 0
  }

  /// The ledger's entry to which the growth belongs.
  package var timer: TimerID
  private let counters: TimerCounters
  private var seen = Seen()
  private var lateness = MetricReader()
  private var hasEnded = false

  /// A reader of `counters`, which must be zeroed, for `timer`.
  package init(timer: TimerID, counters: TimerCounters) {
    self.timer = timer
    self.counters = counters
  }

  /// The growth since the last call; nil when there is none. The caller knows the first `modes` of the loop's modes;
  /// fires dropped in a later mode wait until the caller knows that one too.
  package mutating func delta(at now: Nanoseconds, modes: Int) -> TimerDelta? {
    let fields = counters.fields
    var delta = TimerDelta(timer: timer, atNs: now)
    // Read before the counters: an end that is seen is the last word.
    let ended = counters.endedNs
    delta.lateness = lateness.delta(of: .span, in: counters.lateness)
    delta.fired = Self.growth(fields.pointee.fired, since: &seen.fired)
    // The parts before the whole, so that a part never exceeds it.
    let explained = fields.pointee.explained.acquire()
    if explained != seen.explained {
      delta.droppedOutside = Self.growth(fields.pointee.droppedOutside, since: &seen.droppedOutside)
      let dropped = counters.droppedByMode
      for mode in 0..<min(modes, TimerCounters.modeCount) {
        let count = Self.growth(dropped[mode], since: &seen.droppedByMode[mode])
        if count > 0 { delta.droppedByMode.append((mode, count)) }
      }
      let isComplete = (min(modes, TimerCounters.modeCount)..<TimerCounters.modeCount).allSatisfy {
        dropped[$0].acquire() == seen.droppedByMode[$0]
      }
      if isComplete { seen.explained = explained }
    }
    delta.dropped = Self.growth(fields.pointee.dropped, since: &seen.dropped)
    delta.coalesced = Self.growth(fields.pointee.coalesced, since: &seen.coalesced)
    delta.rearmed = Self.growth(fields.pointee.rearmed, since: &seen.rearmed)
    delta.intervalChanges = Self.growth(fields.pointee.intervalChanges, since: &seen.intervalChanges)
    delta.calloutTotal = Self.growth(fields.pointee.calloutTotal, since: &seen.calloutTotal)
    delta.calloutMaximum = fields.pointee.calloutMaximum.load()
    let worstAt = fields.pointee.worstAt.load()
    if worstAt != 0 { delta.worst = (counters.lateness.maximum, worstAt) }
    if let ended, !hasEnded {
      hasEnded = true
      delta.endedNs = ended
    }
    let grew =
      delta.lateness != nil || delta.endedNs != nil || !delta.droppedByMode.isEmpty
      || [
        delta.fired, delta.dropped, delta.droppedOutside, delta.coalesced, delta.rearmed, delta.intervalChanges,
        delta.calloutTotal,
      ].contains { $0 != 0 }
    return grew ? delta : nil
  }

  private static func growth(_ word: borrowing SharedWord, since seen: inout UInt64) -> UInt64 {
    let now = word.acquire()
    defer { seen = now }
    return now &- seen
  }
}
