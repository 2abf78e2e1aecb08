import CStallwatch
import CoreFoundation
import StallwatchCore
import Synchronization

/// The loops under watch. A watched thread comes here only when it sees a loop or a mode for the first time.
///
/// The lock covers table look-ups only, never a call into CF or an allocation: threads that begin together would wait
/// for each other. For the same reason the watchdog has its own table, into which it moves the loops that have arrived.
final class LoopRegistry: Sendable {
  fileprivate struct State: ~Copyable {
    /// Loops that came under watch since the watchdog last asked.
    var arrived: [WatchedLoop] = []
    /// The latest loop at each address of a CFRunLoop.
    var byObject: [UInt: WatchedLoop] = [:]
    /// Places for future loops, in memory that may have served others. The last is used next.
    var ready: [WatchedLoop] = []
    /// How many of them, from the first on, have no pages: these were given back.
    var givenBack = 0
    /// Memories in use: by loops not released yet, and by loops about to join them.
    var held = 0
    var nextID: UInt32 = 1
  }

  /// The watchdog's own table. Used on its thread only.
  fileprivate final class Known: @unchecked Sendable {
    /// All loops not released yet, in no order.
    var loops: [WatchedLoop] = []
    /// The empty array to swap with `arrived`, so that the arriving threads allocate none.
    var spare: [WatchedLoop] = []
    /// How many items of the main queue were lost before the last call of ``LoopRegistry/losses()``.
    var lostItems = UInt64(stallwatch_lost_hooked_items())
  }

  private let state = Lock(State())
  private let known = Known()
  private let closed = Atomic<Bool>(false)
  private let lostLoops = Atomic<UInt64>(0)
  private let lostModes = Atomic<UInt64>(0)
  private let threshold: Nanoseconds
  private let parker: Parker
  private let clock: CounterClock
  private let ended: EndedThreads
  /// The drift probe's due times, the same for all loops; nil if the probe is off.
  let grid: DueGrid?

  /// Nil when there is no address space.
  init?(configuration: ProbeConfiguration, parker: Parker, clock: CounterClock) {
    guard let ended = EndedThreads(parker: parker) else { return nil }
    self.ended = ended
    threshold = configuration.threshold
    let now = Platform.now()
    grid = configuration.driftInterval.map { DueGrid(first: now + $0, interval: $0) }
    self.parker = parker
    self.clock = clock
    // Reserved now, so that no thread waits for another that grows the tables.
    let most = ProbeConfiguration.maximumLoops + ProbeConfiguration.maximumEndedLoops
    state.withLock { state in
      state.arrived.reserveCapacity(most)
      state.byObject.reserveCapacity(most)
      state.ready.reserveCapacity(most + ProbeConfiguration.maximumReadyLoops)
    }
    known.spare.reserveCapacity(most)
  }

  /// Puts a run loop with all its modes under watch, or finds it there. Nil if there is no room or watching has stopped.
  func watch(_ loop: CFRunLoop, name: String?) -> WatchedLoop? {
    watch(
      WatchedLoop.object(of: loop),
      begin: { new, id in
        new.begin(id, loop: loop, name: name, at: Platform.now())
        return true
      },
      added: { attachAll(allModes(of: loop), of: $0) })
  }

  /// Puts a lane of one mode that CoreFoundation does not know under watch, in the same way. `object` stands for it among
  /// the addresses of loops.
  func watch(_ kind: LaneKind, _ object: UInt, isMain: Bool, name: String?, mode: CFRunLoopMode) -> WatchedLoop? {
    watch(object) { new, id in
      new.begin(id, kind, object: object, isMain: isMain, name: name, mode: mode, at: Platform.now())
    }
  }

  private func watch(
    _ object: UInt, begin: (WatchedLoop, LoopID) -> Bool, added: (WatchedLoop) -> Void = { _ in }
  ) -> WatchedLoop? {
    let (id, ready): (LoopID, WatchedLoop?)
    switch reserve(for: object) {
    case .known(let watched): return watched
    case .room(let reserved, let place): (id, ready) = (reserved, place)
    case .full:
      lostLoops.wrappingAdd(1, ordering: .relaxed)
      return nil
    case .over: return nil
    }
    guard let new = ready ?? place(), begin(new, id) else {
      state.withLock { $0.held -= 1 }
      lostLoops.wrappingAdd(1, ordering: .relaxed)
      return nil
    }
    let watched = add(new)
    if watched === new {
      if new.kind.hasOneThread { new.memory.threadEnd.pointee.watched = Unmanaged.passRetained(new) }
      added(watched)
    }
    return watched
  }

  private enum Reservation {
    case known(WatchedLoop)
    /// An ID for a new loop, and a prepared place for it if there is one.
    case room(LoopID, WatchedLoop?)
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
      return .room(LoopID(rawValue: state.nextID), state.takeReady())
    }
  }

  /// Puts a loop under watch, unless another thread was quicker; then returns that thread's.
  private func add(_ new: WatchedLoop) -> WatchedLoop {
    let quicker = state.withLock { state -> WatchedLoop? in
      if let known = state.byObject[new.object], !known.isEnding { return known }
      state.arrived.append(new)
      state.byObject[new.object] = new
      return nil
    }
    guard let quicker else { return new }
    makeReady([new.memory])
    return quicker
  }

  /// Turns memory that no loop uses into places for future loops.
  private func makeReady(_ memory: [LoopMemory]) {
    let places = memory.map(WatchedLoop.init(memory:))
    state.withLock { state in
      state.ready += places
      state.held -= places.count
    }
  }

  /// The number of a lane that has no place here. Any thread.
  func nextLaneID() -> LoopID {
    state.withLock { state in
      defer { state.nextID += 1 }
      return LoopID(rawValue: state.nextID)
    }
  }

  /// A place in new memory; nil when there is no address space.
  private func place() -> WatchedLoop? {
    LoopMemory(threshold: threshold, grid: grid, parker: parker, clock: clock, ended: ended)
      .map(WatchedLoop.init(memory:))
  }

  /// Prepares places for future loops, as many as there are loops besides the main one. Otherwise the threads that
  /// begin those loops would allocate, and one that loses its processor there would keep the threads that share its
  /// heap waiting until it runs again. Watchdog's thread only.
  func prepare() {
    let wanted = min(known.loops.count - 1, ProbeConfiguration.maximumReadyLoops)
    guard wanted > 0, !isClosed, let ready = state.withLockIfAvailable({ $0.ready.count }) else { return }
    var places: [WatchedLoop] = []
    places.reserveCapacity(wanted - ready)
    while places.count < wanted - ready, let place = place() {
      // Most loops run in one mode. Its memory is touched when there is a loop: many places are never used.
      _ = place.memory.observers(at: 0)
      places.append(place)
    }
    state.withLock { $0.ready += places }
  }

  /// Gives back the pages of places that wait in vain: more of them than there are loops, and more than a few.
  /// Watchdog's thread only.
  func trim() {
    let kept = max(known.loops.count, Self.fewPlaces)
    // A thread that needs a place meanwhile finds the others; this one is in no table while its pages go.
    while let place = state.withLockIfAvailable({ $0.takeUnused(keeping: kept) }) ?? nil {
      place.memory.giveBack()
      state.withLock { $0.putBack(place) }
    }
  }

  /// How many places keep their pages, some 16 KB each, however few loops there are.
  private static let fewPlaces = 16

  /// The watched loop of a CFRunLoop; nil if it is not under watch. Any thread.
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

  /// Looks in every loop for modes that are new or have become common.
  func lookForCommonModes() {
    for watched in loops where !watched.memory.region.threadHasEnded { watched.lookForCommonModes() }
  }

  /// Whether watching has stopped. Any thread.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// All loops that are not released, also those whose threads have ended. May miss loops that arrive at this moment,
  /// because it waits for nobody. Watchdog's thread only.
  var loops: [WatchedLoop] {
    state.withLockIfAvailable { swap(&$0.arrived, &known.spare) }
    return withArrived()
  }

  /// Like ``loops``, but complete: waits for the lock.
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

  /// How many loops have memory, how many memories exist in all, and how many of those have pages; for tests.
  var counts: (loops: Int, byObject: Int, memory: Int, withPages: Int) {
    state.withLock { state in
      let memory = state.held + state.ready.count
      return (state.held, state.byObject.count, memory, memory - state.givenBack)
    }
  }

  /// Forgets loops whose threads have ended and frees their memory for others. Watchdog's thread only.
  func release(_ over: [WatchedLoop]) {
    for watched in over { known.remove(watched) }
    state.withLock { state in
      for watched in over where state.byObject[watched.object] === watched { state.byObject[watched.object] = nil }
    }
    // Not earlier: the table reads from this memory that the thread has ended.
    for watched in over {
      watched.leave()
      watched.memory.clear()
    }
    makeReady(over.map(\.memory))
    ended.release(over.count)
  }

  /// Removes all observers and releases CF's objects. No loop comes under watch afterwards.
  func close() {
    closed.store(true, ordering: .sequentiallyConsistent)
    for watched in allLoops { watched.leave() }
  }

  /// Loops, modes and items that found no room since the last call. Watchdog's thread only.
  func losses() -> [LossRecord] {
    let items = UInt64(stallwatch_lost_hooked_items())
    defer { known.lostItems = items }
    return [
      LossRecord(what: "loops", loop: nil, count: lostLoops.exchange(0, ordering: .relaxed)),
      LossRecord(what: "modes", loop: nil, count: lostModes.exchange(0, ordering: .relaxed)),
      LossRecord(what: "items", loop: nil, count: items - known.lostItems),
    ].filter { $0.count > 0 }
  }

  private func allModes(of loop: CFRunLoop) -> [CFRunLoopMode] {
    guard let modes = CFRunLoopCopyAllModes(loop) else { return [] }
    return (0..<CFArrayGetCount(modes)).compactMap { index in
      // The array holds CFStrings and keeps them alive until they are retained here.
      CFArrayGetValueAtIndex(modes, index).map { Unmanaged<CFRunLoopMode>.fromOpaque($0).takeUnretainedValue() }
    }
  }
}

extension LoopRegistry.State {
  fileprivate mutating func takeReady() -> WatchedLoop? {
    let place = ready.popLast()
    givenBack = min(givenBack, ready.count)
    return place
  }

  /// Takes out the place with pages that is used last, if more than so many have pages.
  fileprivate mutating func takeUnused(keeping kept: Int) -> WatchedLoop? {
    ready.count - givenBack > kept ? ready.remove(at: givenBack) : nil
  }

  /// Puts a place without pages among the others.
  fileprivate mutating func putBack(_ place: WatchedLoop) {
    ready.insert(place, at: givenBack)
    givenBack += 1
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
