/// The ledger's memory of one timer: counters that only grow, and where the timer stands on its grid.
///
/// The thread of the timer's loop writes; the watchdog reads and subtracts. When a timer ends on another thread, that
/// thread writes last, once the timer can fire no more.
package struct TimerCounters: @unchecked Sendable {
  /// The zeroed memory that a timer takes: 15 KB, of which the system backs only touched pages, mostly the first.
  package static var byteCount: Int {
    groupsOffset + CounterGroups.perHistogram * CounterGroups.groupByteCount
  }

  struct Fields: ~Copyable, SharedFields {
    let fired: SharedWord
    let dropped: SharedWord
    let droppedOutside: SharedWord
    let coalesced: SharedWord
    let rearmed: SharedWord
    let intervalChanges: SharedWord
    let calloutTotal: SharedWord
    let calloutMaximum: SharedWord
    /// When the callout of the greatest lateness began.
    let worstAt: SharedWord
    let ended: SharedWord
    /// The due time that the last callout served; 0 before the first.
    let due: SharedWord
    /// When that callout began, and when it ended; the end is 0 while it goes on.
    let begin: SharedWord
    let end: SharedWord
    /// The first due time of a grid with none served yet; 0 without such a grid. It ends the grid of ``due``.
    let armed: SharedWord
    /// The interval of the grid of ``due``.
    let interval: SharedWord
    /// How many due times after ``due`` had passed unserved when they were last counted.
    let missed: SharedWord
    /// When the grid of ``due`` ended, if that was in the timer's own callout; otherwise 0.
    let left: SharedWord
    /// The interval of the next grid.
    let nextInterval: SharedWord
    /// How many callouts are under way: more than one where one-shots share counters and one fires inside the other.
    let callouts: SharedWord
    /// The sum of due times dropped by mode or outside, written after each of those counts.
    let explained: SharedWord
    /// The modes in which it is, or was seen to fire, a bit each.
    let modes: SharedWord
    /// How many groups of counters ``TimerCounters/lateness`` has taken.
    let groups: SharedWord
  }

  /// How many modes are kept apart; a loop has no more.
  package static let modeCount = 64

  private let memory: UnsafeMutableRawPointer

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  @inline(__always)
  package init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  @inline(__always)
  var fields: UnsafeMutablePointer<Fields> { Fields.bind(memory) }
  /// How late its callouts began.
  @inline(__always)
  var lateness: SharedMetric { SharedMetric(memory: memory + Self.latenessOffset, groups: groups) }
  private var groups: CounterGroups {
    CounterGroups(taken: Fields.last(fields), memory: memory + Self.groupsOffset)
  }
  /// The due times dropped while the loop ran in a mode that the timer is not in, by the mode's place.
  var droppedByMode: UnsafeMutablePointer<SharedWord> {
    (memory + Self.droppedByModeOffset).bindMemory(to: SharedWord.self, capacity: Self.modeCount)
  }

  private static var latenessOffset: Int { Fields.byteCount }
  private static var groupsOffset: Int { latenessOffset + SharedMetric.byteCount + droppedByModeByteCount }
  private static var droppedByModeOffset: Int { latenessOffset + SharedMetric.byteCount }
  private static var droppedByModeByteCount: Int { modeCount * MemoryLayout<SharedWord>.stride }

  /// How many due times a callout served.
  package var fired: UInt64 { fields.pointee.fired.load() }
  /// How many due times no callout served.
  package var dropped: UInt64 { fields.pointee.dropped.load() }
  /// When the timer ended, on the monotonic clock; nil while it may fire.
  package var endedNs: Nanoseconds? {
    let ended = fields.pointee.ended.acquire()
    return ended == 0 ? nil : ended
  }

  /// The modes that the timer is in: a bit for each mode's place in the loop's table.
  package var modes: UInt64 { fields.pointee.modes.load() }
  /// Whether a callout has begun and not returned.
  package var isInCallout: Bool { fields.pointee.begin.load() != 0 && fields.pointee.end.load() == 0 }

  /// Sets the timer's first due time, and its interval; 0 for a one-shot. Call it before the first callout.
  package func arm(due: Nanoseconds, interval: Nanoseconds) {
    fields.pointee.nextInterval.store(interval)
    fields.pointee.armed.store(due)
  }

  /// Empties the counters for another timer, once no thread can be in it any more. Leaves unused parts untouched, so
  /// that no memory backs them.
  package func clear() {
    groups.clear()
    lateness.clear()
    for mode in 0..<Self.modeCount { droppedByMode[mode].store(0) }
    Fields.clear(fields)
  }
}
