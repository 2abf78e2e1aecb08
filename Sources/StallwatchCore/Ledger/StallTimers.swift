/// Finds the timers that a loop's stalls hurt. For the watchdog's thread.
///
/// It reports them when the stall has ended: only then is it known how far the stall reached, and that it was one.
package struct StallTimers: Sendable {
  /// How many stalls of a loop are remembered: the watchdog reads a late callout one flush after its stall at most, and
  /// this many stalls take seconds.
  static let memory = 64
  /// A stall that ended longer than this before a new one began is forgotten. Where stalls are rare, ``memory`` of them
  /// span hours. A timer whose callout comes so late is one whose mode did not run.
  static let reach = 600 * Nanoseconds.second
  /// How often a late callout is tried: its stall may become known one reading later.
  static let attempts = 3
  /// How many late callouts can wait for their stalls to end: as many as a queue holds.
  static let capacity = SharedQueue<LateFire>.capacity

  private struct Stall {
    var id: StallID
    var start: Nanoseconds
    /// Nil while the stall goes on.
    var end: Nanoseconds?
  }

  private struct Candidate {
    var fire: LateFire
    var timer: TimerID
    var attempts = 0
    /// The stalls already reported for it.
    var reported: [StallID] = []
  }

  private var stalls: [Stall] = []
  private var waiting: [Candidate] = []
  /// How many late callouts did not fit.
  package private(set) var lost: UInt64 = 0

  /// Begins without stalls. One for each loop.
  package init() {}

  /// Notes a stall that became known.
  package mutating func begin(_ stall: StallBegan) {
    guard stall.kind != .congestion else { return }
    stalls.removeAll { known in known.end.map { stall.startedNs.since($0) > Self.reach } ?? false }
    if stalls.count == Self.memory { stalls.removeFirst() }
    stalls.append(Stall(id: stall.id, start: stall.startedNs))
  }

  /// Notes a stall's end; a cancelled stall has hurt no timer.
  package mutating func end(_ stall: StallEnded) {
    guard let place = stalls.firstIndex(where: { $0.id == stall.id }) else { return }
    if stall.state == .cancelled {
      stalls.remove(at: place)
    } else {
      stalls[place].end = stalls[place].start.saturatingAdd(stall.duration)
    }
  }

  /// Takes a late callout of `timer`, read from the loop's queue.
  package mutating func add(_ fire: LateFire, of timer: TimerID) {
    guard waiting.count < Self.capacity else {
      lost = lost.saturatingAdd(1)
      return
    }
    waiting.append(Candidate(fire: fire, timer: timer))
  }

  /// What became known since the last call, an entry for each stall and timer. Call it after the same reading's stalls.
  package mutating func drain() -> [StallTimer] {
    var found: [StallTimer] = []
    for place in waiting.indices {
      waiting[place].attempts += 1
      var isOpen = false
      for stall in stalls where Self.overlap(stall, waiting[place].fire) {
        guard !waiting[place].reported.contains(stall.id) else { continue }
        guard let end = stall.end else {
          isOpen = true
          continue
        }
        waiting[place].reported.append(stall.id)
        Self.merge(Self.hurt(waiting[place], by: stall, until: end), into: &found)
      }
      if isOpen { waiting[place].attempts = 0 }
    }
    waiting.removeAll { $0.attempts >= Self.attempts }
    return found
  }

  /// A stall under way may have ended before the callout without its end being known yet.
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
