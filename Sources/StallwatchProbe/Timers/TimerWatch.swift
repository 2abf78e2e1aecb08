import CStallwatch
import CoreFoundation
import StallwatchCore

/// Brings timers into the ledger by name. With hooks a name is all that is missing.
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

  /// Gives a timer of the calling thread's loop a name, and watches it if that is not done yet. False when there is no room,
  /// or the loop is not watched.
  func watch(_ timer: CFRunLoopTimer, name: String) -> Bool {
    let object = UnsafeRawPointer(Unmanaged.passUnretained(timer).toOpaque())
    if hasHooks(), let seen = stallwatch_find_hooked_timer(object) {
      let sight = seen.assumingMemoryBound(to: HookedTimers.Sight.self)
      guard let memory = sight.pointee.sight, sight.pointee.interval > 0 else { return false }
      names[TimerSlot(memory: memory).id] = name
      return true
    }
    guard let watched = registry.watched(CFRunLoopGetCurrent()) else { return false }
    if let entry = watched.memory.polled.pointee.entry(of: object) {
      names[TimerSlot(memory: entry.slot).id] = name
      return true
    }
    return poll(timer, of: watched, name: name)
  }

  private func poll(_ timer: CFRunLoopTimer, of watched: WatchedLoop, name: String) -> Bool {
    guard let slot = table.take() else { return false }
    slot.describe(
      origin: 0, interval: TimerLayout.interval(CFRunLoopTimerGetInterval(timer)), at: Platform.now())
    slot.bind(to: watched)
    names[slot.id] = name
    for mode in watched.modes where CFRunLoopContainsTimer(watched.loop, timer, mode.name) {
      slot.fold?.join(mode: mode.counters.index)
    }
    if watched.memory.polled.pointee.add(timer, slot: slot) { return true }
    table.free(slot)
    return false
  }
}
