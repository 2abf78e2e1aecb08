/// Finds the timers that a loop's stalls hurt. Belongs to the watchdog.
///
/// They are told when the stall has ended: only then is it known how far it reached, and that it was one.
public struct StallTimers: Sendable {
  /// How many stalls of a loop are remembered: a late callout is read one flush after its stall at most, and as many
  /// stalls take seconds.
  static let memory = 64
  /// How often a late callout is tried: its stall may become known one reading later.
  static let attempts = 3
  /// How many late callouts wait for their stalls to end: as many as a queue holds.
  static let capacity = LateFireQueue.capacity

  private struct Stall {
    var id: StallID
    var start: Nanoseconds
    /// Nil while it goes on.
    var end: Nanoseconds?
  }

  private struct Candidate {
    var fire: LateFire
    var timer: TimerID
    var attempts = 0
    /// The stalls that it was told of.
    var told: [StallID] = []
  }

  private var stalls: [Stall] = []
  private var waiting: [Candidate] = []
  /// Late callouts that did not fit.
  public private(set) var lost: UInt64 = 0

  /// For a loop without stalls.
  public init() {}

  /// A stall became known.
  public mutating func begin(_ stall: StallBegan) {
    guard stall.kind != .congestion else { return }
    stalls.append(Stall(id: stall.id, start: stall.startedNs))
    if stalls.count > Self.memory { stalls.removeFirst() }
  }

  /// A stall is over; a cancelled one has hurt nobody.
  public mutating func end(_ stall: StallEnded) {
    guard let place = stalls.firstIndex(where: { $0.id == stall.id }) else { return }
    if stall.state == .cancelled {
      stalls.remove(at: place)
    } else {
      stalls[place].end = stalls[place].start.saturatingAdd(stall.duration)
    }
  }

  /// A late callout of `timer` was read.
  public mutating func add(_ fire: LateFire, of timer: TimerID) {
    guard waiting.count < Self.capacity else {
      lost = lost.saturatingAdd(1)
      return
    }
    waiting.append(Candidate(fire: fire, timer: timer))
  }

  /// What has become known since the last call, one entry for each stall and timer. After the stalls of the same reading.
  public mutating func take() -> [StallTimer] {
    var found: [StallTimer] = []
    for place in waiting.indices {
      waiting[place].attempts += 1
      var isOpen = false
      for stall in stalls where Self.overlap(stall, waiting[place].fire) && !waiting[place].told.contains(stall.id) {
        guard let end = stall.end else {
          isOpen = true
          continue
        }
        waiting[place].told.append(stall.id)
        Self.merge(Self.hurt(waiting[place], by: stall, until: end), into: &found)
      }
      if isOpen { waiting[place].attempts = 0 }
    }
    waiting.removeAll { $0.attempts >= Self.attempts }
    return found
  }

  /// A stall that goes on may have ended before the callout, which is not known yet.
  private static func overlap(_ stall: Stall, _ fire: LateFire) -> Bool {
    stall.start < fire.at && stall.end ?? .max > fire.from
  }

  private static func hurt(_ candidate: Candidate, by stall: Stall, until end: Nanoseconds) -> StallTimer {
    let fire = candidate.fire
    return StallTimer(
      stall: stall.id, timer: candidate.timer, late: fire.isCallout ? 1 : 0,
      dropped: fire.missed(from: stall.start, until: end - 1),
      worstLateness: fire.isCallout ? fire.at.since(fire.due) : 0)
  }

  private static func merge(_ one: StallTimer, into found: inout [StallTimer]) {
    guard one.late > 0 || one.dropped > 0 else { return }
    guard let place = found.firstIndex(where: { $0.stall == one.stall && $0.timer == one.timer }) else {
      return found.append(one)
    }
    found[place].late = found[place].late.saturatingAdd(one.late)
    found[place].dropped = found[place].dropped.saturatingAdd(one.dropped)
    found[place].worstLateness = max(found[place].worstLateness, one.worstLateness)
  }
}
