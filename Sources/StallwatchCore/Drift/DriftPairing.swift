/// Pairs the ticks that one loop served with the control's, and finds those that it dropped.
///
/// A tick is told when both fates are known. Ticks that come due while an earlier one is still to be served are dropped,
/// and told, already then; so they come before it, and a loop that is held for long keeps no list of them.
public struct DriftPairing {
  /// How many ticks wait for the control at most. A GCD timer that is behind by more of them counts as not fired.
  static let capacity = 1_024

  /// A tick whose fate on the loop is known.
  private struct Waiting {
    var tick: DriftTick
    /// When the loop served it; when it was due, if it did not.
    var settledNs: Nanoseconds
    /// Known already where the loop was long about it.
    var control: ControlTicks.Fate?
  }

  private let loop: LoopID
  private let grid: DueGrid
  /// The tick that the loop serves next …
  private var next: UInt64
  /// … and what became of it with the control, kept for however long the loop takes.
  private var nextControl: ControlTicks.Fate?
  /// The ticks between the next and this one are dropped, and have been noted.
  private var droppedUntil: UInt64
  private var waiting: [Waiting] = []

  /// A pairing for a loop whose first tick comes after a moment.
  public init(loop: LoopID, grid: DueGrid, ticksFrom: Nanoseconds) {
    self.loop = loop
    self.grid = grid
    next = grid.count(until: ticksFrom)
    droppedUntil = next
  }

  /// Takes what the loop's thread told, in its order. `wokenNs` is when the probe woke the loop for this tick; nil: the
  /// loop was awake.
  public mutating func take(_ tick: ServedTick, wokenNs: Nanoseconds? = nil, excluding exclusions: Exclusions) {
    let number = grid.count(until: tick.dueNs) &- 1
    guard let servedNs = tick.servedNs else { return proceed(to: number) }
    let after = grid.count(until: servedNs)
    // Else it was told as dropped: the loop's thread had lost its processor for an interval before it could tell.
    if number == next || number >= droppedUntil {
      let lateness = servedNs.since(wokenNs ?? tick.dueNs)
      var served = self.tick(number)
      served.runLoopLateness = lateness
      served.inOtherModes = min(tick.inOtherModes, lateness)
      waiting.append(Waiting(tick: served, settledNs: servedNs, control: number == next ? nextControl : nil))
      drop(max(number.saturatingAdd(1), droppedUntil), until: after, excluding: exclusions)
    }
    proceed(to: after)
  }

  /// Notes the ticks that the loop has dropped so far. It is inside a run at `now`, and what it told before was taken.
  public mutating func drop(at now: Nanoseconds, excluding exclusions: Exclusions) {
    // An interval's grace is for a tick that was served just now and not told yet.
    let due = grid.count(until: now.since(grid.interval))
    drop(max(next.saturatingAdd(1), droppedUntil), until: due, excluding: exclusions)
    droppedUntil = max(droppedUntil, due)
  }

  /// The ticks of which both fates are known, but for those that overlap time in which the process did not run.
  public mutating func pair(with control: ControlTicks, excluding exclusions: Exclusions) -> [DriftTick] {
    nextControl = nextControl ?? control.fate(of: next)
    var told: [DriftTick] = []
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
      if exclusions.overlap(from: tick.dueNs, to: end.saturatingAdd(1)) == 0 { told.append(tick) }
    }
    waiting = left
    return told
  }

  private mutating func drop(_ first: UInt64, until end: UInt64, excluding exclusions: Exclusions) {
    guard first < end else { return }
    for number in first..<end {
      let tick = self.tick(number)
      // Asked here too: a process that was stopped for an hour has very many of them.
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
