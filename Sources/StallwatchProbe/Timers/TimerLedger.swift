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

  /// Tells everything since the last call. `tellImage` hands on the image that holds an address.
  func flush(
    _ loops: [WatchedLoop], at now: Nanoseconds, tellImage: (UInt64) -> Void, _ hand: (Record) -> Void
  ) {
    let lost = table.takeLost()
    if lost > 0 { hand(.loss(LossRecord(what: "timers", loop: nil, count: lost))) }
    guard table.count > 0 else { return }
    let byObject = Dictionary(
      loops.map { (UInt64(UInt(bitPattern: Unmanaged.passUnretained($0.loop).toOpaque())), $0) },
      uniquingKeysWith: { $1 })
    let byID = Dictionary(loops.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    var over: [TimerSlot] = []
    for place in 0..<TimerTable.capacity {
      let slot = table.slot(at: place)
      let state = slot.state
      guard state == .live || state == .over else { continue }
      tell(slot, byObject, byID, at: now, tellImage: tellImage, hand)
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
    for place in 0..<TimerTable.capacity where table.count > 0 {
      let slot = table.slot(at: place)
      guard slot.state == .live, slot.loop == watched.id else { continue }
      slot.fold?.finish(at: now)
      if slot.interval == 0 || slot.heldTimer != nil { slot.end() }
    }
    flush([watched], at: now, tellImage: tellImage, hand)
    stalls[watched.id] = nil
    toldLost[watched.id] = nil
  }

  /// Watching ends, and with it every ledger.
  func finish(_ loops: [WatchedLoop], at now: Nanoseconds) {
    for place in 0..<TimerTable.capacity where table.count > 0 {
      let slot = table.slot(at: place)
      if slot.state == .live { slot.fold?.finish(at: now) }
    }
  }

  /// Lets go of what is held for polling, when no observer can be in it any more.
  func releaseAll() {
    for place in 0..<TimerTable.capacity where table.count > 0 {
      let slot = table.slot(at: place)
      if slot.state != .free, let held = slot.heldTimer {
        slot.heldTimer = nil
        Unmanaged<CFRunLoopTimer>.fromOpaque(held).release()
      }
    }
  }

  private func tell(
    _ slot: TimerSlot, _ byObject: [UInt64: WatchedLoop], _ byID: [LoopID: WatchedLoop], at now: Nanoseconds,
    tellImage: (UInt64) -> Void, _ hand: (Record) -> Void
  ) {
    // Not bound yet where it has not fired: by the loop that it was added to.
    guard let watched = slot.loop.flatMap({ byID[$0] }) ?? byObject[slot.loopObject], watched.isAnnounced else {
      return
    }
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
    return watched.modeNames.enumerated().filter { $0.offset < 64 && mask & 1 << UInt64($0.offset) != 0 }.map(\.element)
  }

  private func release(_ slot: TimerSlot) {
    if let held = slot.heldTimer {
      slot.heldTimer = nil
      Unmanaged<CFRunLoopTimer>.fromOpaque(held).release()
    }
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
