/// The watchdog's side of one loop: takes what the fold set aside, and reads how the profile grew.
public struct LoopReader {
  private let loop: LoopID
  private let board: LoopBoard
  private let queue: SpellQueue
  private var profiles: [ProfileReader] = []
  private var outside: Nanoseconds = 0
  private var activities: UInt64 = 0
  private var lostSpells: UInt64 = 0
  private var lostActivations: UInt64 = 0
  private var lostTicks: UInt64 = 0

  /// A reader of memory that is just beginning to be filled.
  public init(loop: LoopID, board: LoopBoard, queue: SpellQueue) {
    self.loop = loop
    self.board = board
    self.queue = queue
  }

  /// Reads one more mode from now on; modes come in the order of their places, 0 …
  public mutating func add(_ counters: ModeCounters) { profiles.append(ProfileReader(counters)) }

  /// The spells that the loop's thread has set aside since the last call, oldest first.
  public func drain() -> [LongSpell] {
    var spells: [LongSpell] = []
    while spells.count < SpellQueue.capacity, let spell = queue.pop() { spells.append(spell) }
    return spells
  }

  /// Takes excluded time out of spells and adds those that are samples to the profile. Returns them, shortened; what a
  /// caller finds below the threshold is no stall. Every mode that was there when the spells were drained must have
  /// been added before: a sample of another mode has no place to go.
  ///
  /// - Parameter unseenSpan: The start of a span in which the loop was found in a mode not yet observed: it is no span
  ///   but a blind interval, whatever the fold took it for, and the phase and gap around it are no samples and left
  ///   out.
  public mutating func settle(
    _ spells: [LongSpell], excluding exclusions: Exclusions, unseenSpan: Nanoseconds? = nil
  ) -> [LongSpell] {
    let unseen = spells.first { $0.kind == .span && $0.start == unseenSpan }
    return spells.compactMap { spell in
      var settled = spell
      if let unseen, spell.depth == unseen.depth, spell.start < unseen.end, spell.end > unseen.start {
        if spell.kind == .phase || spell.kind == .gap { return nil }
        if spell.kind == .span { settled.kind = .blind }
      }
      settled.own = spell.own.since(exclusions.overlap(from: spell.start, to: spell.end))
      if Int(spell.mode) < profiles.count {
        switch settled.kind {
        case .phase: profiles[Int(spell.mode)].add(Metric(spell.phase), settled.own)
        case .gap: profiles[Int(spell.mode)].add(.gap, settled.own)
        case .span: profiles[Int(spell.mode)].add(.span, settled.own)
        case .busyRun, .blind, .outside: break
        }
      }
      return settled
    }
  }

  /// Counts the wait that is going on as if it ended now. For the end of watching, when no observer is left that could
  /// count it: else a loop that slept all the time would look as if it had never done so.
  public mutating func endWait(at now: Nanoseconds) {
    let sight = board.sight
    guard sight.spanStart == nil, !sight.isOutside, sight.phase == .waiting, sight.mode < profiles.count else { return }
    profiles[sight.mode].add(.waiting, now.since(board.restStart))
  }

  /// How the profile grew since the last call.
  public mutating func deltas(at now: Nanoseconds) -> [ProfileDelta] {
    profiles.indices.compactMap { profiles[$0].delta(of: loop, at: now) }
  }

  /// The loop's time outside runs since the last call, or nil when nothing happened and it goes on.
  public mutating func progress(endedNs: Nanoseconds? = nil) -> LoopProgress? {
    let (newOutside, newActivities) = (board.outside, board.activities)
    guard newActivities != activities || endedNs != nil else { return nil }
    defer { (outside, activities) = (newOutside, newActivities) }
    return LoopProgress(
      loop: loop, outside: newOutside &- outside, activities: newActivities &- activities, endedNs: endedNs)
  }

  /// What did not fit since the last call.
  public mutating func losses() -> [LossRecord] {
    let (spells, activations, ticks) = (queue.lost, board.lostActivations, board.ticks.lost)
    guard (spells, activations, ticks) != (lostSpells, lostActivations, lostTicks) else { return [] }
    defer { (lostSpells, lostActivations, lostTicks) = (spells, activations, ticks) }
    return [
      LossRecord(what: "spans", loop: loop, count: spells &- lostSpells),
      LossRecord(what: "activations", loop: loop, count: activations &- lostActivations),
      LossRecord(what: "ticks", loop: loop, count: ticks &- lostTicks),
    ].filter { $0.count > 0 }
  }
}
