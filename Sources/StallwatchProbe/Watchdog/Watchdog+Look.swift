import CoreFoundation
import StallwatchCore

extension Watchdog {
  /// Looks at one loop: the spells its thread has set aside, whether it is held, and in which mode.
  func look(at watched: WatchedLoop, now: Nanoseconds) {
    let position = watched.memory.region.position
    let left = position.isOutside ? watched.lastLeft : nil
    collect(from: watched, now: now)
    if watched.isStalled,
      let ended = watched.tracker.reconcile(with: position, excluding: witness.exclusions, now: now)
    {
      report(ended, of: watched)
    }
    if !seesEveryMode { lookForNewModes(of: watched, position: position, now: now) }
    if let start = position.spanStart, start != watched.unseenSpan {
      if now.since(start) >= configuration.threshold { lookForStall(of: watched, position, now: now) }
      sample(watched, position, heldFrom: start, now: now)
    } else if position.spanStart == nil, !watched.isAway {
      sampling?.letGo(of: watched.id)
    }
    guard isAwayToBeSought(of: watched, left: left, now: now) else { return }
    var away = watched.away
    lookForAway(of: watched, left: left, &away, now: now)
    watched.away = away
  }

  /// Looks whether the span of a held loop has become a stall.
  private func lookForStall(of watched: WatchedLoop, _ position: LoopPosition, now: Nanoseconds) {
    let began = watched.tracker.look(
      at: position, excluding: witness.exclusions, now: now, number: outbox.numberStall,
      annotations: outbox.annotationsNow)
    if let began { report(.stallBegan(began), of: watched) }
  }

  /// Samples the thread of a loop in the state `position`, if that is due.
  private func sample(
    _ watched: WatchedLoop, _ position: LoopPosition, heldFrom start: Nanoseconds, now: Nanoseconds
  ) {
    guard let look = sampling?.soonestLook(at: watched.id, heldFrom: start) else { return }
    guard now >= look else {
      // A look from just before the threshold may have put off the next, and what it found is due now.
      sampling?.handOnFirst(of: watched.id, outbox.hand)
      return
    }
    let stall = watched.tracker.current.flatMap { $0.startedNs == start ? $0 : nil }
    guard stall != nil || watched.tracker.deadline(for: position, excluding: witness.exclusions, at: now) != nil else {
      return
    }
    let region = watched.memory.region
    let held = HeldThread(watched, startedNs: start, stall: stall) {
      region.position.spanStart == start
    }
    sample(held)
  }

  /// Samples a held thread if that is due, and then others that hold the same.
  func sample(_ held: HeldThread, beside others: some Sequence<HeldThread> = []) {
    guard !isAwaited, let sampling else { return }
    for one in [held] + others { witness.judged { looks.measure { sampling.look(at: one, outbox.hand) } } }
    if held.stall != nil { sampling.handOnFirst(of: held.loop, outbox.hand) }
  }

  /// Collects the spells and ticks that a loop's thread has set aside.
  func collect(from watched: WatchedLoop, now: Nanoseconds) {
    let spells = watched.memory.region.hasSpells ? watched.reader.drain() : []
    let ticks = drainTicks(of: watched)
    lookForUnseenRun(in: spells, of: watched)
    // After draining, so that the reader knows every mode of the spells.
    announce(watched)
    // A suspension may have hit between the last sleep and here; the spells it lengthened end after it.
    witness.noteLife()
    if !spells.isEmpty {
      for spell in watched.reader.charge(spells, excluding: witness.exclusions, unseenSpan: watched.unseenSpan) {
        report(spell, of: watched, now: now)
      }
    }
    pair(ticks, of: watched)
  }

  /// Hands on what a spell means for the loop's stalls and aways.
  private func report(_ spell: LongSpell, of watched: WatchedLoop, now: Nanoseconds) {
    for record in watched.tracker.take(spell, now: now, number: outbox.numberStall, annotations: outbox.annotationsNow)
    {
      report(record, of: watched)
    }
    var away = watched.away
    let reported = away.take(
      spell, excluding: witness.exclusions, now: now, number: outbox.numberStall, annotations: outbox.annotationsNow)
    watched.away = away
    for record in reported { report(record, of: watched) }
    if spell.kind == .blind {
      outbox.reportUnobserved(watched.id, from: spell.start, to: spell.end, for: spell.own)
    }
  }

  /// Hands on a record of a loop's trackers; a stall's samples go before its end.
  func report(_ record: Record, of watched: WatchedLoop) {
    switch record {
    case .stallBegan(let began):
      sampling?.begin(began)
      ledger?.begin(began)
    case .stallEnded(let ended):
      sampling?.end(of: watched.id, ended, outbox.hand)
      ledger?.end(ended, of: watched.id)
    default: break
    }
    outbox.hand(record)
  }

  /// Hands on the loop's record once its thread is known, and records of its new modes.
  func announce(_ watched: WatchedLoop) {
    let threadID = watched.memory.region.threadID
    guard threadID != 0 else { return }
    if !watched.isAnnounced {
      watched.isAnnounced = true
      let name = watched.isMain ? "main" : watched.givenName ?? threadName(of: watched) ?? "thread \(threadID)"
      outbox.hand(
        .loop(
          LoopRecord(
            id: watched.id, name: name, threadID: threadID, isMain: watched.isMain, kind: watched.kind,
            startedNs: watched.startedNs)))
    }
    guard watched.modeCount != watched.announcedModes else { return }
    let modes = watched.modes
    for mode in modes[watched.announcedModes...] {
      let name = String(describing: mode.name)
      watched.reader.add(mode.counters, retired: watched.memory.retired(at: mode.counters.index))
      watched.modeNames.append(name)
      watched.modeHashes.append(HookedTimers.hash(of: mode.name))
      outbox.hand(
        .mode(ModeRecord(loop: watched.id, index: mode.counters.index, name: name, attachedNs: mode.attachedNs)))
    }
    watched.announcedModes = modes.count
  }

  /// The name of a loop's thread at its first activity. A thread that nobody named has its maker's name, in the end the
  /// program's or that of one of Dispatch's threads; these give nil.
  private func threadName(of watched: WatchedLoop) -> String? {
    let name = watched.memory.region.threadName
    guard !name.isEmpty, name != programName, !Platform.isNameOfWorker(name) else { return nil }
    programName = Platform.programName()
    return name == programName ? nil : name
  }
}
