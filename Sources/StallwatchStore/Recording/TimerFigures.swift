import StallwatchCore

/// A timer's ledger since it entered it: sums that only grow, as its row in the store has them.
struct TimerFigures: Sendable, Equatable {
  var fired: UInt64 = 0
  var dropped: UInt64 = 0
  var droppedOutside: UInt64 = 0
  var coalesced: UInt64 = 0
  var rearmed: UInt64 = 0
  var intervalChanges: UInt64 = 0
  var calloutTotal: Nanoseconds = 0
  var calloutMaximum: Nanoseconds = 0
  var lateness = SparseHistogram()
  var worstAtNs: Nanoseconds?
  var endedNs: Nanoseconds?

  mutating func add(_ delta: TimerDelta) {
    fired = fired.saturatingAdd(delta.fired)
    dropped = dropped.saturatingAdd(delta.dropped)
    droppedOutside = droppedOutside.saturatingAdd(delta.droppedOutside)
    coalesced = coalesced.saturatingAdd(delta.coalesced)
    rearmed = rearmed.saturatingAdd(delta.rearmed)
    intervalChanges = intervalChanges.saturatingAdd(delta.intervalChanges)
    calloutTotal = calloutTotal.saturatingAdd(delta.calloutTotal)
    calloutMaximum = max(calloutMaximum, delta.calloutMaximum)
    if let growth = delta.lateness { lateness.add(growth, previousMaximum: lateness.maximum) }
    worstAtNs = delta.worst?.atNs ?? worstAtNs
    endedNs = delta.endedNs ?? endedNs
  }
}
