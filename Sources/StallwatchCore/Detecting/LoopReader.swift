/// Reads one loop's spells and the growth of its profile. For the watchdog's thread.
package struct LoopReader {
  private let loop: LoopID
  private let region: LoopRegion
  private var profiles: [ProfileReader] = []
  /// The loop's activities when the profile was last read, and whether it was read again since, at the same number: the
  /// loop's thread counts an activity before all that comes of it.
  private var profiled: UInt64 = 0
  private var isSettled = false
  private var emptied: [Int] = []
  private var outside: Nanoseconds = 0
  private var activities: UInt64 = 0
  private var lostSpells: UInt64 = 0
  private var lostActivations: UInt64 = 0
  private var lostTicks: UInt64 = 0
  private var stretches: StretchReader

  /// A reader of `loop`'s memory, which must hold nothing yet, for a loop that is watched from `start` on; 0: from its
  /// first reading on.
  package init(loop: LoopID, region: LoopRegion, from start: Nanoseconds = 0) {
    self.loop = loop
    self.region = region
    stretches = StretchReader(from: start)
  }

  /// Reads one more mode from now on. Callers add modes in the order of their places, from 0.
  package mutating func add(_ counters: ModeCounters, retired: RetiredCounters) {
    profiles.append(ProfileReader(counters, retired: retired))
    isSettled = false
  }

  /// The spells that the loop's thread set aside since the last call, oldest first.
  package func drain() -> [LongSpell] { region.spells.drain() }

  /// Subtracts excluded time from spells, adds those that are samples to the profile, and returns them, shortened; one
  /// that is now below the threshold is no stall. Add every mode that existed when the spells were drained first: a
  /// sample of another mode has no place to go.
  ///
  /// - Parameter unseenSpan: The start of a span in which the watchdog found the loop in a mode not yet observed.
  ///   Whatever the fold took it for, that span is unobserved time; the phase and gap around it are no samples and are
  ///   left out.
  package mutating func charge(
    _ spells: [LongSpell], excluding exclusions: Exclusions, unseenSpan: Nanoseconds? = nil
  ) -> [LongSpell] {
    let unseen = spells.first { $0.kind == .span && $0.start == unseenSpan }
    return spells.compactMap { spell in
      var charged = spell
      if let unseen, spell.depth == unseen.depth, spell.start < unseen.end, spell.end > unseen.start {
        if spell.kind == .phase || spell.kind == .gap { return nil }
        if spell.kind == .span { charged.kind = .blind }
      }
      charged.own = spell.own.since(exclusions.overlap(from: spell.start, to: spell.end))
      if Int(spell.mode) < profiles.count {
        switch charged.kind {
        case .phase: profiles[Int(spell.mode)].add(Metric(spell.phase), charged.own)
        case .gap: profiles[Int(spell.mode)].add(.gap, charged.own)
        case .span: profiles[Int(spell.mode)].add(.span, charged.own)
        case .busyRun, .blind, .outside: break
        }
      }
      return charged
    }
  }

  /// Counts the current wait as if it ended now. For the end of watching, when no observer remains to count it:
  /// otherwise a loop that slept all the time would seem never to have slept.
  package mutating func endWait(at now: Nanoseconds) {
    isSettled = false
    let position = region.position
    guard position.spanStart == nil, !position.isOutside, position.phase == .waiting, position.mode < profiles.count
    else { return }
    profiles[position.mode].add(.waiting, now.since(region.restStart))
  }

  /// How the profile grew since the last call, and over which time; `now` is the present moment. `exclusions` and
  /// `unseenSpan` as for ``charge(_:excluding:unseenSpan:)``: what of the open span is no time of its mode.
  package mutating func deltas(
    at now: Nanoseconds, excluding exclusions: Exclusions = Exclusions(), unseenSpan: Nanoseconds? = nil
  ) -> [ProfileDelta] {
    var deltas = profileGrowth(at: now)
    // After the profile: a span that ends between the two readings counts at the next one, and none counts twice.
    var position = region.position
    // In a mode that is not read yet, which tells nothing of the others.
    if position.mode >= profiles.count { position = LoopPosition(spanStart: nil, mode: 0, depth: 1, phase: .prepare) }
    guard !deltas.isEmpty || position.spanStart != nil, !profiles.isEmpty else { return [] }
    let start = position.spanStart
    let reading = StretchReader.Reading(
      position: position, restStart: region.restStart, outside: region.outside,
      excluded: start.map { exclusions.overlap(from: $0, to: max($0, now)) } ?? 0,
      isUnseen: start != nil && start == unseenSpan || region.isInTickWake, atNs: now)
    stretches.add(reading, to: &deltas) { [loop] mode in
      ProfileDelta(loop: loop, mode: mode, atNs: now, entries: 0, iterations: 0, starved: 0, metrics: [])
    }
    return deltas
  }

  /// The growth of the modes that have grown. Does not read the counters of a loop that has not turned.
  private mutating func profileGrowth(at now: Nanoseconds) -> [ProfileDelta] {
    let activities = region.activities
    if isSettled, activities == profiled, !profiles.contains(where: \.hasMore) { return [] }
    (isSettled, profiled) = (activities == profiled, activities)
    return profiles.indices.compactMap { mode in
      profiles[mode].delta(of: loop, at: now) { emptied.append(mode) }
    }
  }

  /// Asks modes whose counters take more than usual to retire them.
  package func askForRetirements() {
    var asked = false
    for profile in profiles where profile.askForRetirement() { asked = true }
    // At the loop's next activity its observers look at what is rare, and find that they are asked.
    if asked { region.attend(from: 0) }
  }

  /// Whether a mode retires its counters right now, so that they cannot be read.
  package var isRetiring: Bool { profiles.contains(where: \.isRetiring) }

  /// The modes with retired counters that were read since the last call: their memory is empty, and its pages may be
  /// given back.
  package mutating func takeEmptied() -> [Int] {
    guard !emptied.isEmpty else { return [] }
    defer { emptied = [] }
    return emptied
  }

  /// The loop's time outside runs since the last call; nil when no activity came and the loop goes on.
  package mutating func progress(endedNs: Nanoseconds? = nil) -> LoopProgress? {
    // Not below what was reported: an activity made for a tick counts for a moment before it does not.
    let newActivities = activities &+ region.ownActivities.since(activities)
    let newOutside = region.outside
    guard newActivities != activities || endedNs != nil else { return nil }
    defer { (outside, activities) = (newOutside, newActivities) }
    return LoopProgress(
      loop: loop, outside: newOutside &- outside, activities: newActivities &- activities, endedNs: endedNs)
  }

  /// The records, activations and ticks that did not fit since the last call.
  package mutating func losses() -> [LossRecord] {
    let (spells, activations, ticks) = (region.spells.lost, region.lostActivations, region.ticks.lost)
    guard (spells, activations, ticks) != (lostSpells, lostActivations, lostTicks) else { return [] }
    defer { (lostSpells, lostActivations, lostTicks) = (spells, activations, ticks) }
    return [
      LossRecord(what: "spans", loop: loop, count: spells &- lostSpells),
      LossRecord(what: "activations", loop: loop, count: activations &- lostActivations),
      LossRecord(what: "ticks", loop: loop, count: ticks &- lostTicks),
    ].filter { $0.count > 0 }
  }
}
