import CStallwatch
import CoreFoundation
import StallwatchCore

/// Dispatch's main queue, as StallwatchHooks show it where no run loop serves it: a lane like an event loop, but each of its
/// items may run on another thread. Only one runs at a time, and Dispatch orders them, so they can share what they write.
enum MainQueueLane {
  /// The name of its mode.
  private nonisolated(unsafe) static let mode: CFRunLoopMode = CFStringCreateWithCString(
    nil, "main queue", CFStringBuiltInEncodings.UTF8.rawValue)
  /// What stands for it among the addresses of loops: no address, because it is odd.
  private static let object: UInt = 1

  /// What is known of the lane. Used by the item that is served now, and before the first.
  private struct State {
    /// Where its activities go; nil before the first item, and without room for the lane.
    var tap: UnsafeMutablePointer<ModeTap>?
    /// The registry that watches it.
    var registry: ObjectIdentifier?
    /// The thread that served the last item.
    var thread: UInt64 = 0
    var isWaiting = false
  }

  private nonisolated(unsafe) static var state = State()

  /// Called on the thread that is about to serve an item. Allocates and takes a lock only at the first one.
  static func willServe(on thread: UInt64) {
    if state.tap == nil { begin() }
    guard let tap = state.tap else { return }
    if thread != state.thread {
      state.thread = thread
      // The lane's first activity, below, would name the thread again.
      tap.pointee.region.setThreadPointer(stallwatch_thread_pointer())
      tap.pointee.region.setThreadID(thread)
    }
    guard state.isWaiting else { return }
    state.isWaiting = false
    observeBegin(tap)
  }

  /// Called when the item was served; if none is left, the lane waits. Does nothing while it waits.
  static func didServe(waits: Bool) {
    guard let tap = state.tap, !state.isWaiting else { return }
    observeEnd(tap, waits: waits)
    state.isWaiting = waits
  }

  /// Puts the lane under watch, once a monitor.
  private static func begin() {
    guard let registry = HooksListener.watchingEveryLoop, state.registry != ObjectIdentifier(registry) else { return }
    state = State(registry: ObjectIdentifier(registry))
    guard let watched = registry.watch(.mainQueue, object, isMain: true, name: "main", mode: mode) else { return }
    let tap = watched.memory.tap(at: 0)
    observe(tap, .entry, at: tap.pointee.clock.counted ?? Platform.now())
    state.tap = tap
    StartUp.end()
  }
}
