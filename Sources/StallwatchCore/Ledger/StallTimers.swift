/// Finds the timers that a loop's stalls hurt. Belongs to the watchdog.
public struct StallTimers: Sendable {
  /// How many stalls of a loop are remembered: a late callout is read one flush after its stall at most, and as many
  /// stalls take seconds.
  static let memory = 64
  /// How often a late callout is tried: its stall may become known one reading later.
  static let attempts = 3

  private var stalls: [(id: StallID, start: Nanoseconds, end: Nanoseconds?)] = []
  private var waiting: [(fire: LateFire, timer: TimerID, attempts: Int)] = []

  /// For a loop without stalls.
  public init() {}

  /// A stall became known.
  public mutating func begin(_ stall: StallBegan) {
    guard stall.kind == .stall else { return }
    stalls.append((stall.id, stall.startedNs, nil))
    if stalls.count > Self.memory { stalls.removeFirst() }
  }

  /// A stall is over; a cancelled one has hurt nobody.
  public mutating func end(_ stall: StallEnded) {
    guard let place = stalls.firstIndex(where: { $0.id == stall.id }) else { return }
    if stall.state == .cancelled {
      stalls.remove(at: place)
    } else {
      stalls[place].end = stalls[place].start + stall.duration
    }
  }

  /// A late callout of `timer` was read.
  public mutating func add(_ fire: LateFire, of timer: TimerID) { waiting.append((fire, timer, 0)) }

  /// What is known since the last call, one entry for each stall and timer.
  public mutating func take() -> [StallTimer] {
    var found: [StallTimer] = []
    var rest: [(fire: LateFire, timer: TimerID, attempts: Int)] = []
    for (fire, timer, attempts) in waiting {
      let hurt = stalls.compactMap { stall in Self.hurt(fire, timer, by: stall) }
      if hurt.isEmpty, attempts + 1 < Self.attempts { rest.append((fire, timer, attempts + 1)) }
      for one in hurt { Self.merge(one, into: &found) }
    }
    waiting = rest
    return found
  }

  private static func hurt(
    _ fire: LateFire, _ timer: TimerID, by stall: (id: StallID, start: Nanoseconds, end: Nanoseconds?)
  ) -> StallTimer? {
    let end = stall.end ?? fire.at
    guard stall.start < fire.at, end > fire.due else { return nil }
    var dropped: UInt64 = 0
    if !fire.isCallout {
      dropped = fire.missed
    } else if fire.missed > 0 {
      dropped = DueGrid(first: fire.due + fire.interval, interval: fire.interval)
        .count(from: stall.start, until: min(end, fire.at))
    }
    return StallTimer(
      stall: stall.id, timer: timer, late: fire.isCallout ? 1 : 0, dropped: dropped,
      worstLateness: fire.isCallout ? fire.at - fire.due : 0)
  }

  private static func merge(_ one: StallTimer, into found: inout [StallTimer]) {
    guard let place = found.firstIndex(where: { $0.stall == one.stall && $0.timer == one.timer }) else {
      return found.append(one)
    }
    found[place].late += one.late
    found[place].dropped += one.dropped
    found[place].worstLateness = max(found[place].worstLateness, one.worstLateness)
  }
}
