import CStallwatch
import CoreFoundation
import StallwatchCore

/// Hands on the timers: which there are, how their ledgers grew, and which of them each stall hurt. Used on the
/// watchdog's thread only.
final class TimerLedger {
  /// Called for a timer that fired late: with its loop, since when it was due and when it fired, and the modes of that
  /// loop that it is in, a bit for each by its place.
  typealias ReportLate = (_ watched: WatchedLoop, _ dueNs: Nanoseconds, _ firedNs: Nanoseconds, _ modes: UInt64) -> Void

  private let table: TimerTable
  private let names: TimerNames
  private var known: [Int: Known] = [:]
  private var sites = TimerSites()
  private var stalls: [LoopID: StallTimers] = [:]
  /// Late callouts that found no room, as far as reported.
  private var reportedLost: [LoopID: UInt64] = [:]
  /// Timers that the hooks had no room for, as far as reported.
  private var reportedUnhooked: UInt64 = 0
  private var endedTimers: UInt64 = 0

  /// A class because it is large: a dictionary would copy it for every change.
  private final class Known {
    /// The slot's ID at that time, which shows whether the slot has gone to another timer since.
    let timer: TimerID
    var entry: TimerSites.Entry
    var reader: TimerReader
    private let counters: TimerCounters
    /// How often it had fired, and how many fires it had dropped, when the reader last read it.
    private var seen: (fired: UInt64, dropped: UInt64) = (0, 0)

    init(timer: TimerID, entry: TimerSites.Entry, counters: TimerCounters) {
      (self.timer, self.entry, self.counters) = (timer, entry, counters)
      reader = TimerReader(timer: entry.record.id, counters: counters)
    }

    /// Whether it has fired or dropped fires since the last reading.
    var hasGrown: Bool { seen.fired != counters.fired || seen.dropped != counters.dropped }

    /// The growth since the last reading; nil when there is none.
    func delta(at now: Nanoseconds, modes: Int) -> TimerDelta? {
      // Before the reader does: what comes in between, it may have missed.
      seen = (counters.fired, counters.dropped)
      return reader.delta(at: now, modes: modes)
    }
  }

  /// At this many ended timers the ledger flushes early, so that the table does not run out of slots.
  private static let crowd: UInt64 = UInt64(TimerTable.capacity / 4)

  init(table: TimerTable, names: TimerNames) {
    self.table = table
    self.names = names
  }

  /// Notes that a stall of a loop became known.
  func begin(_ stall: StallBegan) { stalls[stall.loop, default: StallTimers()].begin(stall) }

  /// Notes that a stall of a loop is over.
  func end(_ stall: StallEnded, of loop: LoopID) { stalls[loop]?.end(stall) }

  /// Hands on everything since the last call of the timers of `loops`, which are all loops watched at `now`.
  /// `reportImage` hands on the image that holds an address; `reportLate` is called for each late callout.
  func flush(
    _ loops: [WatchedLoop], at now: Nanoseconds, reportImage: (UInt64) -> Void, reportLate: ReportLate,
    _ hand: (Record) -> Void
  ) {
    flush(loops, KnownLoops(loops), areAll: true, at: now, reportImage: reportImage, reportLate: reportLate, hand)
  }

  private func flush(
    _ loops: [WatchedLoop], _ watching: KnownLoops, areAll: Bool, at now: Nanoseconds, reportImage: (UInt64) -> Void,
    reportLate: ReportLate, _ hand: (Record) -> Void
  ) {
    reportLost(hand)
    endedTimers = table.endedTimers
    var ended: [TimerSlot] = []
    var others: [TimerSlot] = []
    for slot in table.slots {
      let state = slot.state
      guard state == .live || state == .over else { continue }
      let watched = watching.loop(of: slot)
      // Its loop may have arrived after `loops` were asked for, or may not be announced yet.
      guard watched.map({ $0.isAnnounced || !areAll }) ?? (areAll && slot.endedNs <= now) else { continue }
      if state == .over { finish(slot, of: watching, at: slot.endedNs) }
      if state == .over, !slot.counters.isInCallout { ended.append(slot) } else { others.append(slot) }
    }
    // In the order of their making: each takes over the entry of one that had ended by then.
    for slot in ended.sorted(by: { $0.madeNs < $1.madeNs }) {
      report(slot, watching, at: now, reportImage: reportImage, hand)
      leaveEntry(of: slot, at: now, hand)
    }
    for slot in others { report(slot, watching, at: now, reportImage: reportImage, hand) }
    // Before slots are given back, because stalls also hurt timers that have ended.
    for watched in loops { reportHurt(by: watched, reportLate, hand) }
    for slot in ended { release(slot) }
  }

  /// Hands on how the ledgers of known timers grew since the last call, and nothing else. Cheap enough for every flush: it
  /// reads two words of a timer that did nothing.
  func flushGrowth(_ loops: [WatchedLoop], at now: Nanoseconds, _ hand: (Record) -> Void) {
    for (index, timer) in known where timer.hasGrown {
      let slot = table.slot(at: index)
      guard slot.id == timer.timer, let loop = slot.loop, let watched = loops.first(where: { $0.id == loop }) else {
        continue
      }
      reportGrowth(of: slot, on: watched, at: now, hand)
    }
  }

  /// Whether so many timers have ended since the last flush that slots may become scarce.
  var isCrowded: Bool { table.endedTimers &- endedTimers >= Self.crowd }

  /// How much is kept, for tests: timers, entries that wait, loops.
  var counts: (known: Int, waiting: Int, loops: Int) { (known.count, sites.count, stalls.count + reportedLost.count) }

  private func reportLost(_ hand: (Record) -> Void) {
    let unhooked = UInt64(stallwatch_lost_hooked_timers())
    let lost = table.takeLost().saturatingAdd(unhooked.since(reportedUnhooked))
    reportedUnhooked = unhooked
    if lost > 0 { hand(.loss(LossRecord(what: "timers", loop: nil, count: lost))) }
  }

  /// The threads of loops have ended, so their timers fire no more. Keeps timers until the program releases them.
  func end(
    _ loops: [WatchedLoop], at now: Nanoseconds, reportImage: (UInt64) -> Void, reportLate: ReportLate,
    _ hand: (Record) -> Void
  ) {
    let watching = KnownLoops(loops)
    for slot in table.slots where slot.state == .live {
      guard let watched = watching.loop(of: slot) else { continue }
      finish(slot, of: watching, at: Self.lastRun(of: watched) ?? now)
      if slot.interval == 0 || slot.heldTimer != nil { slot.end(at: now) }
    }
    flush(loops, watching, areAll: false, at: now, reportImage: reportImage, reportLate: reportLate, hand)
    for watched in loops {
      stalls[watched.id] = nil
      reportedLost[watched.id] = nil
      sites.end(watched.id)
    }
    forget(loops)
  }

  /// Forgets timers of ended loops that the program has not released.
  private func forget(_ loops: [WatchedLoop]) {
    let over = Set(loops.map(\.id))
    known = known.filter { !over.contains($0.value.entry.record.loop ?? LoopID(rawValue: 0)) }
  }

  /// Ends every ledger, because watching ends.
  func finish(_ loops: [WatchedLoop], at now: Nanoseconds) {
    let watching = KnownLoops(loops)
    for slot in table.slots where slot.state == .live {
      finish(slot, of: watching, at: endOfInvalid(slot, watching) ?? now)
    }
  }

  /// When the last run of a loop ended; nil while the loop runs.
  private static func lastRun(of watched: WatchedLoop) -> Nanoseconds? {
    let region = watched.memory.region
    return region.position.isOutside && region.restStart != 0 ? region.restStart : nil
  }

  /// The end of a polled timer that was invalidated after its loop's last run, and so not polled since.
  private func endOfInvalid(_ slot: TimerSlot, _ loops: KnownLoops) -> Nanoseconds? {
    guard let held = slot.heldTimer, !CFRunLoopTimerIsValid(TimerLayout.cf(held)) else { return nil }
    return loops.loop(of: slot).flatMap(Self.lastRun)
  }

  /// Releases the timers retained for polling, once no observer can use them.
  func releaseAll() {
    for slot in table.slots where slot.state != .free { letGo(slot) }
  }

  private func letGo(_ slot: TimerSlot) {
    guard let held = slot.heldTimer else { return }
    slot.heldTimer = nil
    Unmanaged<CFRunLoopTimer>.fromOpaque(held).release()
  }

  /// Finishes a timer's ledger. A timer that never fired is bound to its loop only here.
  private func finish(_ slot: TimerSlot, of loops: KnownLoops, at now: Nanoseconds) {
    if slot.loop == nil, let watched = loops.loop(of: slot) {
      slot.bind(to: watched)
      for (index, hash) in watched.modeHashes.enumerated() where slot.hasNoted(modeHash: hash) {
        slot.fold?.join(mode: index)
      }
    }
    slot.takeRearm()
    slot.fold?.finish(at: now)
  }

  private func report(
    _ slot: TimerSlot, _ loops: KnownLoops, at now: Nanoseconds, reportImage: (UInt64) -> Void, _ hand: (Record) -> Void
  ) {
    guard let watched = loops.loop(of: slot), watched.isAnnounced else { return }
    let record = TimerRecord(
      id: slot.id, loop: watched.id, name: names[slot.id], kind: .runLoop, origin: slot.origin,
      interval: slot.interval, tolerance: 0, modes: modes(of: slot, watched), madeNs: slot.madeNs)
    if known[slot.index]?.timer != slot.id {
      reportImage(slot.origin)
      meet(slot, as: record, hand)
    } else {
      update(slot, on: watched, to: record, at: now, hand)
    }
    reportGrowth(of: slot, on: watched, at: now, hand)
  }

  /// Hands on a timer for the first time.
  private func meet(_ slot: TimerSlot, as record: TimerRecord, _ hand: (Record) -> Void) {
    let entry = sites.take(record)
    known[slot.index] = Known(timer: slot.id, entry: entry, counters: slot.counters)
    hand(.timer(entry.record))
  }

  /// Hands on a timer's new name or modes.
  private func update(
    _ slot: TimerSlot, on watched: WatchedLoop, to record: TimerRecord, at now: Nanoseconds, _ hand: (Record) -> Void
  ) {
    guard let current = known[slot.index] else { return }
    var reported = record
    (reported.id, reported.madeNs) = (current.entry.record.id, current.entry.record.madeNs)
    guard reported != current.entry.record else { return }
    // Counts under another name, or of other timers, stay where they are.
    let isShared = current.entry.timers > 1 || sites.hasEntry(like: record)
    if record.name != current.entry.record.name, isShared {
      reportGrowth(of: slot, on: watched, at: now, hand)
      wait(current.entry, endedNs: now, at: now, hand)
      var next = record
      // A new ID: the slot's may be that of the entry it leaves.
      next.id = table.number()
      current.entry = sites.take(next)
      current.reader.timer = current.entry.record.id
      return hand(.timer(current.entry.record))
    }
    current.entry.record = reported
    hand(.timer(reported))
  }

  private func reportGrowth(
    of slot: TimerSlot, on watched: WatchedLoop, at now: Nanoseconds, _ hand: (Record) -> Void
  ) {
    guard let current = known[slot.index],
      var delta = current.delta(at: now, modes: watched.announcedModes)
    else { return }
    if let worst = delta.worst, worst.lateness < current.entry.worst { delta.worst = nil }
    current.entry.worst = max(current.entry.worst, delta.worst?.lateness ?? 0)
    hand(.timerDelta(delta))
  }

  /// Lets an entry wait for another timer, and hands on the last record of the entry given up for it.
  private func wait(
    _ entry: TimerSites.Entry, endedNs: Nanoseconds, at now: Nanoseconds, _ hand: (Record) -> Void
  ) {
    guard let givenUp = sites.give(entry, endedNs: endedNs) else { return }
    var last = TimerDelta(timer: givenUp, atNs: now)
    last.isLast = true
    hand(.timerDelta(last))
  }

  private func modes(of slot: TimerSlot, _ watched: WatchedLoop) -> [String] {
    watched.modeNames.indices.filter { isIn($0, slot, watched) }.map { watched.modeNames[$0] }
  }

  private func modeBits(of slot: TimerSlot, _ watched: WatchedLoop) -> UInt64 {
    watched.modeNames.indices.reduce(0) { isIn($1, slot, watched) ? $0 | 1 << UInt64($1) : $0 }
  }

  /// Whether a timer is in the mode at that place of its loop.
  private func isIn(_ mode: Int, _ slot: TimerSlot, _ watched: WatchedLoop) -> Bool {
    mode < TimerCounters.modeCount && slot.counters.modes & 1 << UInt64(mode) != 0
      || mode < watched.modeHashes.count && slot.hasNoted(modeHash: watched.modeHashes[mode])
  }

  /// A timer that has ended and had its last record leaves its entry to another.
  private func leaveEntry(of slot: TimerSlot, at now: Nanoseconds, _ hand: (Record) -> Void) {
    guard let ended = known[slot.index], ended.timer == slot.id else { return }
    wait(ended.entry, endedNs: slot.endedNs, at: now, hand)
  }

  private func release(_ slot: TimerSlot) {
    letGo(slot)
    known[slot.index] = nil
    names[slot.id] = nil
    table.free(slot)
  }

  private func reportHurt(by watched: WatchedLoop, _ reportLate: ReportLate, _ hand: (Record) -> Void) {
    while let fire = watched.memory.region.popLateFire() {
      let slot = table.slot(at: Int(fire.slot))
      if fire.isCallout { reportLate(watched, max(fire.due, slot.addedNs), fire.at, modeBits(of: slot, watched)) }
      guard let timer = known[Int(fire.slot)]?.entry.record.id else { continue }
      stalls[watched.id, default: StallTimers()].add(fire, of: timer)
    }
    for hurt in stalls[watched.id]?.drain() ?? [] { hand(.stallTimer(hurt)) }
    let lost = watched.memory.region.lateFires.lost &+ (stalls[watched.id]?.lost ?? 0)
    let reported = reportedLost.updateValue(lost, forKey: watched.id) ?? 0
    if lost > reported { hand(.loss(LossRecord(what: "late-fires", loop: watched.id, count: lost - reported))) }
  }
}

/// The watched loops, by what a slot says of its own.
private struct KnownLoops {
  private var byObject: [UInt64: WatchedLoop] = [:]
  /// Earlier loops at the same addresses, the earliest first.
  private var earlier: [UInt64: [WatchedLoop]] = [:]
  private var byID: [LoopID: WatchedLoop] = [:]

  init(_ loops: [WatchedLoop]) {
    byObject.reserveCapacity(loops.count)
    byID.reserveCapacity(loops.count)
    for watched in loops.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
      byID[watched.id] = watched
      let before = byObject.updateValue(watched, forKey: UInt64(watched.object))
      if let before { earlier[UInt64(watched.object), default: []].append(before) }
    }
  }

  /// The loop that serves a timer; before its first callout, the loop that it was added to.
  func loop(of slot: TimerSlot) -> WatchedLoop? {
    if let loop = slot.loop { return byID[loop] }
    return earlier[slot.loopObject]?.first(where: { Self.mayServe($0, slot) })
      ?? byObject[slot.loopObject].flatMap { Self.mayServe($0, slot) ? $0 : nil }
  }

  private static func mayServe(_ watched: WatchedLoop, _ slot: TimerSlot) -> Bool {
    slot.addedNs <= watched.memory.region.threadEndedNs ?? .max
  }
}
