/// Pairs the ticks that one loop served with the control's, and finds those that it dropped. For the watchdog's thread.
///
/// It reports a tick when both fates are known. Ticks that come due before the loop has served an earlier one are
/// dropped; the pairing reports them before that one, so it keeps no list of them while the loop is held.
package struct DriftPairing {
  /// How many ticks wait for the control at most. Where the GCD timer is further behind, it has dropped the oldest.
  static let capacity = 1_024

  /// A tick whose fate on the loop is known.
  private struct Waiting {
    var tick: DriftTick
    /// When the loop served it; the due time of a dropped tick.
    var settledNs: Nanoseconds
    /// The control's fate, where it became known before the loop's.
    var control: ControlTicks.Fate?
  }

  private let loop: LoopID
  private let grid: DueGrid
  /// The tick that the loop serves next.
  private var next: UInt64
  /// That tick's fate with the control, kept however long the loop takes.
  private var nextControl: ControlTicks.Fate?
  /// The ticks after `next` and before this one are dropped and noted.
  private var droppedUntil: UInt64
  private var waiting: [Waiting] = []

  /// A pairing for `loop`, whose first tick is the next of `grid` after `ticksFrom`.
  package init(loop: LoopID, grid: DueGrid, ticksFrom: Nanoseconds) {
    self.loop = loop
    self.grid = grid
    next = grid.count(until: ticksFrom)
    droppedUntil = next
  }

  /// Takes a report of the loop's thread; reports come in that thread's order. `wokenNs` is when the probe woke the
  /// loop for this tick; nil if the loop was awake.
  package mutating func take(_ tick: ServedTick, wokenNs: Nanoseconds? = nil, excluding exclusions: Exclusions) {
    let due = grid.count(until: tick.dueNs) &- 1
    guard let servedNs = tick.servedNs else { return proceed(to: max(due, next)) }
    let after = grid.count(until: servedNs)
    // The loop's thread does not know which ticks were left out: it served the first that was not.
    let number = max(due, next)
    guard number < after else { return }
    // Otherwise it was reported as dropped: the loop's thread lost its processor for an interval before it reported.
    if number == next || number >= droppedUntil {
      let lateness = servedNs.since(wokenNs ?? max(tick.dueNs, grid.due(number)))
      var served = self.tick(number)
      served.runLoopLateness = lateness
      served.inOtherModes = min(tick.inOtherModes, lateness)
      waiting.append(Waiting(tick: served, settledNs: servedNs, control: number == next ? nextControl : nil))
      drop(max(number.saturatingAdd(1), droppedUntil), until: after, excluding: exclusions)
    }
    // Those up to there have been reported, or left out.
    proceed(to: max(after, droppedUntil))
  }

  /// Notes the ticks dropped so far. At `now` the loop must be inside a run, and its earlier reports taken.
  package mutating func drop(at now: Nanoseconds, excluding exclusions: Exclusions) {
    // Waits one interval: the loop may have served a tick just now and not reported it yet.
    let due = grid.count(until: now.since(grid.interval))
    drop(max(next.saturatingAdd(1), droppedUntil), until: due, excluding: exclusions)
    droppedUntil = max(droppedUntil, due)
  }

  /// When the tick that the loop serves next is due.
  package var nextDueNs: Nanoseconds { grid.due(next) }

  /// Leaves out ticks that have come due and for which nobody woke the loop: all loops rested. Call it before the
  /// reports of that time are taken. A tick that was due before them, and that the loop has not served, stays.
  package mutating func leaveOut(_ numbers: Range<UInt64>) {
    if next >= numbers.lowerBound {
      proceed(to: max(next, numbers.upperBound))
    } else {
      droppedUntil = max(droppedUntil, numbers.upperBound)
    }
  }

  /// Hands out the ticks with both fates known, without those that overlap time in which the process did not run.
  package mutating func pair(with control: ControlTicks, excluding exclusions: Exclusions) -> [DriftTick] {
    nextControl = nextControl ?? control.fate(of: next)
    if waiting.isEmpty { return [] }
    var reported: [DriftTick] = []
    var left: [Waiting] = []
    for (place, waited) in waiting.enumerated() {
      var tick = waited.tick
      let isLast = waiting.count - place > Self.capacity
      switch waited.control ?? control.fate(of: tick.number) ?? (isLast ? .dropped : nil) {
      case .fired(let lateness): tick.gcdLateness = lateness
      case .dropped: break
      case nil:
        left.append(waited)
        continue
      }
      let end = max(waited.settledNs, tick.dueNs.saturatingAdd(tick.gcdLateness ?? 0))
      if exclusions.overlap(from: tick.dueNs, to: end.saturatingAdd(1)) == 0 { reported.append(tick) }
    }
    waiting = left
    return reported
  }

  private mutating func drop(_ first: UInt64, until end: UInt64, excluding exclusions: Exclusions) {
    guard first < end else { return }
    for number in first..<end {
      let tick = self.tick(number)
      // Checked here too: a process that was stopped for an hour has very many of them.
      guard exclusions.overlap(from: tick.dueNs, to: tick.dueNs.saturatingAdd(1)) == 0 else { continue }
      waiting.append(Waiting(tick: tick, settledNs: tick.dueNs))
    }
  }

  private mutating func proceed(to number: UInt64) {
    guard number != next else { return }
    next = number
    nextControl = nil
    droppedUntil = max(droppedUntil, number)
  }

  private func tick(_ number: UInt64) -> DriftTick {
    DriftTick(
      loop: loop, number: number, dueNs: grid.due(number), runLoopLateness: nil, gcdLateness: nil, inOtherModes: 0)
  }
}

/// A loop's thread's report on one tick of the drift probe. The watchdog pairs it with the control's.
package struct ServedTick: BitwiseCopyable, Equatable, Sendable {
  /// When the served tick was due; if ``servedNs`` is nil, the due time from which ticks count again.
  package var dueNs: Nanoseconds
  /// When the loop served it. Nil: the loop was outside any run, where no timer has a loop, for an interval or more;
  /// the probe leaves out what came due before ``dueNs``.
  package var servedNs: Nanoseconds?
  /// For how long, between these two moments, the loop ran in modes that the probe is not in.
  package var inOtherModes: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(dueNs: Nanoseconds, servedNs: Nanoseconds?, inOtherModes: Nanoseconds) {
    self.dueNs = dueNs
    self.servedNs = servedNs
    self.inOtherModes = inOtherModes
  }
}
