import CoreFoundation
import StallwatchCore
import Synchronization

/// The loops under watch. A watched thread comes here only when it sees a loop or a mode for the first time.
final class LoopRegistry: Sendable {
  private struct State: ~Copyable {
    var loops: [WatchedLoop] = []
    var freeMemory: [LoopMemory] = []
    var nextID: UInt32 = 1
    var lostLoops: UInt64 = 0
    var lostModes: UInt64 = 0
  }

  private let state = Mutex(State())
  private let closed = Atomic<Bool>(false)
  private let threshold: Nanoseconds
  private let driftModes: [String]
  private let parker: Parker
  private let clock: CounterClock
  /// The drift probe's due times, the same for all loops; nil with the probe off.
  let grid: DueGrid?

  init(configuration: ProbeConfiguration, parker: Parker, clock: CounterClock) {
    threshold = configuration.threshold
    driftModes = configuration.driftModes
    let now = Platform.now()
    grid = configuration.driftInterval.map { DueGrid(first: now + $0, interval: $0) }
    self.parker = parker
    self.clock = clock
  }

  /// Puts a loop under watch with all its modes, or finds it there. Nil when there is no room, or watching has stopped.
  func watch(_ loop: CFRunLoop, name: String?) -> WatchedLoop? {
    let now = Platform.now()
    return state.withLock { state in
      if let known = state.loops.first(where: { $0.loop === loop && !$0.memory.board.threadHasEnded }) { return known }
      guard !isClosed, state.loops.count < ProbeConfiguration.maximumLoops,
        let memory = state.freeMemory.popLast()
          ?? LoopMemory(threshold: threshold, grid: grid, parker: parker, clock: clock)
      else {
        if !isClosed { state.lostLoops += 1 }
        return nil
      }
      memory.begin(at: now)
      let watched = WatchedLoop(
        id: LoopID(rawValue: state.nextID), loop: loop, memory: memory, givenName: name, threshold: threshold,
        startedNs: now, grid: grid, driftModes: driftModes)
      state.nextID += 1
      state.loops.append(watched)
      ForkGuard.cover(memory.board)
      for mode in allModes(of: loop) where !watched.attach(mode, at: now) && watched.refuse(mode) {
        state.lostModes += 1
      }
      watched.lookForCommonModes()
      return watched
    }
  }

  /// A loop, if it is under watch.
  func watched(_ loop: CFRunLoop) -> WatchedLoop? {
    state.withLock { state in state.loops.first { $0.loop === loop && !$0.memory.board.threadHasEnded } }
  }

  /// Attaches to a mode if it is new. Nil when there is no room for it, or watching has stopped.
  @discardableResult
  func attach(_ mode: CFRunLoopMode, of watched: WatchedLoop) -> AttachedMode? {
    state.withLock { state in
      if let known = watched.attached(mode) { return known }
      guard !isClosed, watched.attach(mode, at: Platform.now()) else {
        if !isClosed, watched.refuse(mode) { state.lostModes += 1 }
        return nil
      }
      watched.lookForCommonModes()
      return watched.modes.last
    }
  }

  /// Attaches to modes that have appeared since the last look. Returns whether there were any.
  @discardableResult
  func attachNewModes(of watched: WatchedLoop) -> Bool {
    let new = allModes(of: watched.loop).filter { !isAttached($0, of: watched) }
    for mode in new { attach(mode, of: watched) }
    return !new.isEmpty
  }

  func isAttached(_ mode: CFRunLoopMode, of watched: WatchedLoop) -> Bool {
    state.withLock { _ in watched.attached(mode) != nil }
  }

  /// Looks for modes that were made common, or that are new, in every loop.
  func lookForCommonModes() {
    state.withLock { state in
      for watched in state.loops where !watched.memory.board.threadHasEnded { watched.lookForCommonModes() }
    }
  }

  /// Whether watching has stopped.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// The loops under watch now.
  var loops: [WatchedLoop] { state.withLock { $0.loops } }

  /// A loop's modes now.
  func modes(of watched: WatchedLoop) -> [AttachedMode] { state.withLock { _ in watched.modes } }

  /// Forgets a loop whose thread has ended; its memory serves again.
  func release(_ watched: WatchedLoop) {
    state.withLock { state in
      watched.detach()
      state.loops.removeAll { $0 === watched }
      watched.memory.clear()
      state.freeMemory.append(watched.memory)
    }
  }

  /// Removes all observers; no loop comes under watch any more.
  func close() {
    state.withLock { state in
      closed.store(true, ordering: .releasing)
      for watched in state.loops { watched.detach() }
    }
  }

  /// Loops and modes that found no room, since the last call.
  func losses() -> [LossRecord] {
    state.withLock { state in
      defer { (state.lostLoops, state.lostModes) = (0, 0) }
      return [
        LossRecord(what: "loops", loop: nil, count: state.lostLoops),
        LossRecord(what: "modes", loop: nil, count: state.lostModes),
      ].filter { $0.count > 0 }
    }
  }

  private func allModes(of loop: CFRunLoop) -> [CFRunLoopMode] {
    guard let modes = CFRunLoopCopyAllModes(loop) else { return [] }
    return (0..<CFArrayGetCount(modes)).compactMap { index in
      // The array holds CFStrings; it keeps them alive while they are retained here.
      CFArrayGetValueAtIndex(modes, index).map { Unmanaged<CFRunLoopMode>.fromOpaque($0).takeUnretainedValue() }
    }
  }
}
