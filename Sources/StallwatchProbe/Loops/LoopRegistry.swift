import CoreFoundation
import StallwatchCore
import Synchronization

/// The loops under watch. A watched thread comes here only when it sees a loop or a mode for the first time.
///
/// The lock is held for a look at a table, never while CF is called or memory is taken: threads that begin at one time
/// would wait for each other. For the same reason the watchdog has a table of its own, and takes into it what has arrived.
final class LoopRegistry: Sendable {
  fileprivate struct State: ~Copyable {
    /// Those that came under watch since the watchdog last asked.
    var arrived: [WatchedLoop] = []
    /// The latest at each address of a CFRunLoop.
    var byObject: [UInt: WatchedLoop] = [:]
    var freeMemory: [LoopMemory] = []
    /// Memory that is not free: that of loops that were not released, and of those that are about to be among them.
    var held = 0
    var nextID: UInt32 = 1
  }

  /// The watchdog's own table.
  fileprivate final class Known: @unchecked Sendable {
    /// Those that were not released, in no order.
    var loops: [WatchedLoop] = []
    /// Room for those that arrive, so that their threads need take none.
    var spare: [WatchedLoop] = []
  }

  private let state = Lock(State())
  private let known = Known()
  private let closed = Atomic<Bool>(false)
  private let lostLoops = Atomic<UInt64>(0)
  private let lostModes = Atomic<UInt64>(0)
  private let threshold: Nanoseconds
  private let driftModes: [String]
  private let parker: Parker
  private let clock: CounterClock
  private let ended: EndedThreads
  /// The drift probe's due times, the same for all loops; nil with the probe off.
  let grid: DueGrid?
  /// How long a loop other than the main one goes without ticks.
  private var patience: Nanoseconds {
    grid.map { min(ProbeConfiguration.driftPatience, 10 * $0.interval) } ?? 0
  }

  /// Nil when there is no address space.
  init?(configuration: ProbeConfiguration, parker: Parker, clock: CounterClock) {
    guard let ended = EndedThreads(parker: parker) else { return nil }
    self.ended = ended
    threshold = configuration.threshold
    driftModes = configuration.driftModes
    let now = Platform.now()
    grid = configuration.driftInterval.map { DueGrid(first: now + $0, interval: $0) }
    self.parker = parker
    self.clock = clock
    // No thread is to wait for another that takes memory for the tables.
    let most = ProbeConfiguration.maximumLoops + ProbeConfiguration.maximumEndedLoops
    state.withLock { state in
      state.arrived.reserveCapacity(most)
      state.byObject.reserveCapacity(most)
      state.freeMemory.reserveCapacity(most)
    }
    known.spare.reserveCapacity(most)
  }

  /// Puts a loop under watch with all its modes, or finds it there. Nil when there is no room, or watching has stopped.
  func watch(_ loop: CFRunLoop, name: String?) -> WatchedLoop? {
    let (id, free): (LoopID, LoopMemory?)
    switch reserve(for: WatchedLoop.object(of: loop)) {
    case .known(let watched): return watched
    case .room(let reserved, let memory): (id, free) = (reserved, memory)
    case .full:
      lostLoops.wrappingAdd(1, ordering: .relaxed)
      return nil
    case .over: return nil
    }
    guard
      let memory = free
        ?? LoopMemory(threshold: threshold, grid: grid, parker: parker, clock: clock, ended: ended)
    else {
      state.withLock { $0.held -= 1 }
      lostLoops.wrappingAdd(1, ordering: .relaxed)
      return nil
    }
    let now = Platform.now()
    let ticksFrom = WatchedLoop.isMain(loop) ? now : now.saturatingAdd(patience)
    memory.begin(at: now, ticksFrom: ticksFrom)
    let new = WatchedLoop(
      id: id, loop: loop, memory: memory, givenName: name, threshold: threshold, startedNs: now, grid: grid,
      ticksFrom: ticksFrom, driftModes: driftModes)
    let watched = add(new)
    if watched === new {
      memory.threadEnd.pointee.watched = Unmanaged.passRetained(new)
      attachAll(allModes(of: loop), of: watched)
    }
    return watched
  }

  private enum Reservation {
    case known(WatchedLoop)
    /// A number for another loop, and memory that served one before, if there is any.
    case room(LoopID, LoopMemory?)
    case full
    /// Watching has stopped.
    case over
  }

  /// The loop at an address, or room for it.
  private func reserve(for object: UInt) -> Reservation {
    let isLive = ProbeConfiguration.maximumLoops
    return state.withLock { state in
      if let known = state.byObject[object], !known.isEnding { return .known(known) }
      guard !isClosed else { return .over }
      guard state.held < isLive + ended.count, state.held < isLive + ProbeConfiguration.maximumEndedLoops else {
        return .full
      }
      state.held += 1
      defer { state.nextID += 1 }
      return .room(LoopID(rawValue: state.nextID), state.freeMemory.popLast())
    }
  }

  /// Makes a loop one of those under watch, unless another thread was quicker: then that thread's.
  private func add(_ new: WatchedLoop) -> WatchedLoop {
    state.withLock { state in
      if let known = state.byObject[new.object], !known.isEnding {
        state.freeMemory.append(new.memory)
        state.held -= 1
        return known
      }
      state.arrived.append(new)
      state.byObject[new.object] = new
      return new
    }
  }

  /// A loop, if it is under watch.
  func watched(_ loop: CFRunLoop) -> WatchedLoop? {
    let object = WatchedLoop.object(of: loop)
    return state.withLock { state in
      guard let known = state.byObject[object], !known.isEnding else { return nil }
      return known
    }
  }

  /// Attaches to a mode if it is new. Nil when there is no room for it, or watching has stopped.
  @discardableResult
  func attach(_ mode: CFRunLoopMode, of watched: WatchedLoop) -> AttachedMode? {
    switch watched.attach(mode, unless: { isClosed }) {
    case .new(let attached):
      watched.lookForCommonModes()
      return attached
    case .known(let attached): return attached
    case .refused:
      lostModes.wrappingAdd(1, ordering: .relaxed)
      return nil
    case .refusedBefore, .over: return nil
    }
  }

  private func attachAll(_ modes: [CFRunLoopMode], of watched: WatchedLoop) {
    for mode in modes {
      if case .refused = watched.attach(mode, unless: { isClosed }) { lostModes.wrappingAdd(1, ordering: .relaxed) }
    }
    watched.lookForCommonModes()
  }

  /// Attaches to modes that have appeared since the last look. Returns whether there were any.
  @discardableResult
  func attachNewModes(of watched: WatchedLoop) -> Bool {
    let new = (watched.withLoop(allModes) ?? []).filter { !watched.isAttached($0) }
    for mode in new { attach(mode, of: watched) }
    return !new.isEmpty
  }

  /// Looks for modes that were made common, or that are new, in every loop.
  func lookForCommonModes() {
    for watched in loops where !watched.memory.board.threadHasEnded { watched.lookForCommonModes() }
  }

  /// Whether watching has stopped.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// The loops under watch now, and those whose threads have ended and that were not released yet, but for those that
  /// arrive just now. Waits for nobody. The watchdog's, which alone may ask.
  var loops: [WatchedLoop] {
    state.withLockIfAvailable { swap(&$0.arrived, &known.spare) }
    return withArrived()
  }

  /// The same with all that have arrived, for the last word on them.
  var allLoops: [WatchedLoop] {
    state.withLock { swap(&$0.arrived, &known.spare) }
    return withArrived()
  }

  private func withArrived() -> [WatchedLoop] {
    for watched in known.spare {
      watched.place = known.loops.count
      known.loops.append(watched)
    }
    known.spare.removeAll(keepingCapacity: true)
    return known.loops
  }

  /// Whether so many loops of ended threads wait for the watchdog that new ones may soon find no room. Any thread.
  var isCrowded: Bool { ended.count >= ProbeConfiguration.manyEndedLoops }

  /// How many loops have memory, and how much memory there is in all: for tests of what is kept.
  var counts: (loops: Int, byObject: Int, memory: Int) {
    state.withLock { state in (state.held, state.byObject.count, state.held + state.freeMemory.count) }
  }

  /// Forgets loops whose threads have ended; their memory serves again. The watchdog.
  func release(_ over: [WatchedLoop]) {
    for watched in over { known.remove(watched) }
    state.withLock { state in
      for watched in over where state.byObject[watched.object] === watched { state.byObject[watched.object] = nil }
    }
    // Not before: what is in the table says by its memory that its thread has ended.
    for watched in over {
      watched.leave()
      watched.memory.clear()
    }
    state.withLock { state in
      state.freeMemory += over.map(\.memory)
      state.held -= over.count
      ended.release(over.count)
    }
  }

  /// Removes all observers and gives back what is CF's; no loop comes under watch any more.
  func close() {
    closed.store(true, ordering: .sequentiallyConsistent)
    for watched in allLoops { watched.leave() }
  }

  /// Loops and modes that found no room, since the last call.
  func losses() -> [LossRecord] {
    [
      LossRecord(what: "loops", loop: nil, count: lostLoops.exchange(0, ordering: .relaxed)),
      LossRecord(what: "modes", loop: nil, count: lostModes.exchange(0, ordering: .relaxed)),
    ].filter { $0.count > 0 }
  }

  private func allModes(of loop: CFRunLoop) -> [CFRunLoopMode] {
    guard let modes = CFRunLoopCopyAllModes(loop) else { return [] }
    return (0..<CFArrayGetCount(modes)).compactMap { index in
      // The array holds CFStrings; it keeps them alive while they are retained here.
      CFArrayGetValueAtIndex(modes, index).map { Unmanaged<CFRunLoopMode>.fromOpaque($0).takeUnretainedValue() }
    }
  }
}

extension LoopRegistry.Known {
  fileprivate func remove(_ watched: WatchedLoop) {
    let last = loops.removeLast()
    guard last !== watched else { return }
    last.place = watched.place
    loops[watched.place] = last
  }
}
