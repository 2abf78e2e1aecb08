import CoreFoundation
import StallwatchCore

/// Tells the recorder of the timers: which there are, how their ledgers grew, and which were hurt by which stall. Belongs to
/// the watchdog's thread.
final class TimerLedger {
  private let table: TimerTable
  private let names: TimerNames
  private var known: [Int: Known] = [:]
  private var stalls: [LoopID: StallTimers] = [:]
  /// Late callouts that found no room, as far as they were told.
  private var toldLost: [LoopID: UInt64] = [:]

  private struct Known {
    var record: TimerRecord
    var reader: TimerReader
  }

  init(table: TimerTable, names: TimerNames) {
    self.table = table
    self.names = names
  }

  /// A stall of a loop became known.
  func begin(_ stall: StallBegan) { stalls[stall.loop, default: StallTimers()].begin(stall) }

  /// A stall of a loop is over.
  func end(_ stall: StallEnded, of loop: LoopID) { stalls[loop]?.end(stall) }

  /// Tells everything since the last call of the timers of `loops`, which are all that are watched unless said otherwise.
  /// `tellImage` hands on the image that holds an address.
  func flush(
    _ loops: [WatchedLoop], areAll: Bool = true, at now: Nanoseconds, tellImage: (UInt64) -> Void,
    _ hand: (Record) -> Void
  ) {
    let lost = table.takeLost()
    if lost > 0 { hand(.loss(LossRecord(what: "timers", loop: nil, count: lost))) }
    let watching = KnownLoops(loops)
    var over: [TimerSlot] = []
    for slot in table.slots {
      let state = slot.state
      guard state == .live || state == .over, areAll || watching.loop(of: slot) != nil else { continue }
      if state == .over { finish(slot, of: watching, at: slot.endedNs) }
      tell(slot, watching, at: now, tellImage: tellImage, hand)
      if state == .over, !slot.board.isInCallout { over.append(slot) }
    }
    // Before slots are given back: a timer that has ended was hurt by its stalls all the same.
    for watched in loops { tellHurt(by: watched, hand) }
    for slot in over { release(slot) }
  }

  /// The thread of a loop has ended: its timers fire no more. Those that the program still has are kept until it lets go of
  /// them.
  func end(
    _ watched: WatchedLoop, at now: Nanoseconds, tellImage: (UInt64) -> Void, _ hand: (Record) -> Void
  ) {
    let watching = KnownLoops([watched])
    for slot in table.slots where slot.state == .live && watching.loop(of: slot) != nil {
      finish(slot, of: watching, at: Self.lastRun(of: watched) ?? now)
      if slot.interval == 0 || slot.heldTimer != nil { slot.end(at: now) }
    }
    flush([watched], areAll: false, at: now, tellImage: tellImage, hand)
    stalls[watched.id] = nil
    toldLost[watched.id] = nil
  }

  /// Watching ends, and with it every ledger.
  func finish(_ loops: [WatchedLoop], at now: Nanoseconds) {
    let watching = KnownLoops(loops)
    for slot in table.slots where slot.state == .live {
      finish(slot, of: watching, at: endOfInvalid(slot, watching) ?? now)
    }
  }

  /// When the last run of a loop was over that runs no more, or not now; nil where it runs.
  private static func lastRun(of watched: WatchedLoop) -> Nanoseconds? {
    let board = watched.memory.board
    return board.sight.isOutside && board.restStart != 0 ? board.restStart : nil
  }

  /// A polled timer that was invalidated after its loop's last run has not been looked at since.
  private func endOfInvalid(_ slot: TimerSlot, _ loops: KnownLoops) -> Nanoseconds? {
    guard let held = slot.heldTimer, !CFRunLoopTimerIsValid(TimerLayout.cf(held)) else { return nil }
    return loops.loop(of: slot).flatMap(Self.lastRun)
  }

  /// Lets go of what is held for polling, when no observer can be in it any more.
  func releaseAll() {
    for slot in table.slots where slot.state != .free { letGo(slot) }
  }

  private func letGo(_ slot: TimerSlot) {
    guard let held = slot.heldTimer else { return }
    slot.heldTimer = nil
    Unmanaged<CFRunLoopTimer>.fromOpaque(held).release()
  }

  /// A timer's last word. One that has never fired was not told to its loop's board yet.
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

  private func tell(
    _ slot: TimerSlot, _ loops: KnownLoops, at now: Nanoseconds, tellImage: (UInt64) -> Void, _ hand: (Record) -> Void
  ) {
    guard let watched = loops.loop(of: slot), watched.isAnnounced else { return }
    let record = TimerRecord(
      id: slot.id, loop: watched.id, name: names[slot.id], kind: .runLoop, origin: slot.origin,
      interval: slot.interval, tolerance: 0, modes: modes(of: slot, watched), madeNs: slot.madeNs)
    if known[slot.index]?.record.id != slot.id {
      known[slot.index] = Known(record: record, reader: TimerReader(timer: slot.id, board: slot.board))
      tellImage(slot.origin)
      hand(.timer(record))
    } else if known[slot.index]?.record != record {
      known[slot.index]?.record = record
      hand(.timer(record))
    }
    if let delta = known[slot.index]?.reader.delta(at: now) { hand(.timerDelta(delta)) }
  }

  private func modes(of slot: TimerSlot, _ watched: WatchedLoop) -> [String] {
    let mask = slot.board.modes
    return watched.modeNames.indices.filter { index in
      index < TimerBoard.modeCount && mask & 1 << UInt64(index) != 0
        || slot.hasNoted(modeHash: watched.modeHashes[index])
    }.map { watched.modeNames[$0] }
  }

  private func release(_ slot: TimerSlot) {
    letGo(slot)
    known[slot.index] = nil
    names[slot.id] = nil
    table.free(slot)
  }

  private func tellHurt(by watched: WatchedLoop, _ hand: (Record) -> Void) {
    while let fire = watched.memory.lateFires.pop() {
      guard let timer = known[Int(fire.slot)]?.record.id else { continue }
      stalls[watched.id, default: StallTimers()].add(fire, of: timer)
    }
    for hurt in stalls[watched.id]?.take() ?? [] { hand(.stallTimer(hurt)) }
    let lost = watched.memory.lateFires.lost &+ (stalls[watched.id]?.lost ?? 0)
    let told = toldLost.updateValue(lost, forKey: watched.id) ?? 0
    if lost > told { hand(.loss(LossRecord(what: "late-fires", loop: watched.id, count: lost - told))) }
  }
}

/// The loops under watch, to be found by what a slot says of its own.
private struct KnownLoops {
  private let byObject: [UInt64: WatchedLoop]
  private let byID: [LoopID: WatchedLoop]

  init(_ loops: [WatchedLoop]) {
    byObject = Dictionary(
      loops.map { (UInt64(UInt(bitPattern: Unmanaged.passUnretained($0.loop).toOpaque())), $0) },
      uniquingKeysWith: { $1 })
    byID = Dictionary(loops.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
  }

  /// The loop that serves a timer; where it has not fired yet, the one that it was added to.
  func loop(of slot: TimerSlot) -> WatchedLoop? {
    if let loop = slot.loop { return byID[loop] }
    return byObject[slot.loopObject]
  }
}
