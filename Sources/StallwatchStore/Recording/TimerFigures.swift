import StallwatchCore

/// A timer's ledger since it entered it: sums that only grow, as its row in the store has them. Its lateness alone is
/// what has come since a closing: hundreds of counters of each of a thousand timers would stay in memory otherwise.
struct TimerFigures: Sendable, Equatable {
  var fired: UInt64 = 0
  var dropped: UInt64 = 0
  var droppedOutside: UInt64 = 0
  var coalesced: UInt64 = 0
  var rearmed: UInt64 = 0
  var intervalChanges: UInt64 = 0
  var calloutTotal: Nanoseconds = 0
  var calloutMaximum: Nanoseconds = 0
  /// The fires that the store does not have yet, and how many it has.
  var lateness = SparseHistogram()
  var storedFires: UInt64 = 0
  /// The greatest lateness ever.
  var worstLateness: Nanoseconds = 0
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
    if let growth = delta.lateness {
      lateness.add(growth, previousMaximum: worstLateness)
      worstLateness = max(worstLateness, growth.maximum)
    }
    worstAtNs = delta.worst?.atNs ?? worstAtNs
    endedNs = delta.endedNs ?? endedNs
  }

  /// Notes that the store has all of it.
  mutating func close() {
    storedFires = storedFires.saturatingAdd(lateness.count)
    lateness = SparseHistogram()
  }

  /// Whether a row with so many fires lacks the ones here. Writing them twice would count them twice.
  func addsFires(to count: UInt64) -> Bool { lateness.count > 0 && count <= storedFires }
}
