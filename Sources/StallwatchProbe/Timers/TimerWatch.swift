import CHooks
import CStallwatch
import CoreFoundation
import StallwatchCore
import Synchronization

/// Why a timer has no ledger of a name.
package enum TimerRefusal: Sendable {
  /// There is no ledger: watching has not begun, or is over.
  case notRunning
  /// The tables of timers are full.
  case noRoom
  /// The calling thread's loop is not watched.
  case loopNotWatched
  /// It fires once, and hooks show it.
  case oneShot
}

/// Brings timers into the ledger by name. With hooks they only lack the name.
final class TimerWatch: Sendable {
  private let table: TimerTable
  private let names: TimerNames
  private let registry: LoopRegistry
  private let hasHooks: @Sendable () -> Bool

  init(table: TimerTable, names: TimerNames, registry: LoopRegistry, hasHooks: @escaping @Sendable () -> Bool) {
    self.table = table
    self.names = names
    self.registry = registry
    self.hasHooks = hasHooks
  }

  /// Names a timer of the calling thread's loop, and watches it if it is not watched yet. Returns why it has no
  /// ledger of that name; nil when it has.
  func watch(_ timer: CFRunLoopTimer, name: String) -> TimerRefusal? {
    let object = UnsafeRawPointer(Unmanaged.passUnretained(timer).toOpaque())
    if hasHooks(), let seen = stallwatch_find_hooked_timer(object) {
      let hooked = seen.assumingMemoryBound(to: stallwatch_hooks_timer.self)
      guard hooked.pointee.interval > 0 else { return .oneShot }
      guard let memory = hooked.pointee.tag else { return .noRoom }
      names[TimerSlot(memory: memory).id] = name
      return nil
    }
    guard let watched = registry.watched(CFRunLoopGetCurrent()) else { return .loopNotWatched }
    if let entry = watched.memory.polled.pointee.entry(of: object) {
      names[TimerSlot(memory: entry.slot).id] = name
      return nil
    }
    return poll(timer, of: watched, name: name)
  }

  private func poll(_ timer: CFRunLoopTimer, of watched: WatchedLoop, name: String) -> TimerRefusal? {
    guard let slot = table.claim() else { return .noRoom }
    slot.describe(
      origin: 0, interval: TimerLayout.interval(CFRunLoopTimerGetInterval(timer)), at: Platform.now())
    slot.bind(to: watched)
    names[slot.id] = name
    for mode in watched.modes where CFRunLoopContainsTimer(watched.loop, timer, mode.name) {
      slot.fold?.join(mode: mode.counters.index)
    }
    if watched.memory.polled.pointee.add(timer, slot: slot) {
      watched.memory.region.attend(from: 0)
      return nil
    }
    table.free(slot)
    return .noRoom
  }
}

/// The names that the program gave to timers. Any thread.
final class TimerNames: Sendable {
  private let names = Lock<[TimerID: String]>([:])

  subscript(timer: TimerID) -> String? {
    get { names.withLock { $0[timer] } }
    set { names.withLock { $0[timer] = newValue } }
  }
}
