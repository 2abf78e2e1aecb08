import CHooks
import CStallwatch
import CoreFoundation
import StallwatchCore
import StallwatchLibc

/// Event loops, as StallwatchHooks show them: each wait for events is to its loop what the wait of a run loop is. So an
/// event loop is watched as a run loop of one mode, whose runs never end before its thread does.
enum EventLoops {
  /// The name of that mode.
  private nonisolated(unsafe) static let mode: CFRunLoopMode = CFStringCreateWithCString(
    nil, "epoll_wait", CFStringBuiltInEncodings.UTF8.rawValue)

  /// Keeps the ``ThreadEventLoop`` of the calling thread.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    let failed = pthread_key_create(&key) { memory in
      #if canImport(Glibc)
        guard let memory else { return }
      #endif
      Unmanaged<ThreadEventLoop>.fromOpaque(memory).release()
    }
    return failed == 0 ? key : nil
  }()

  /// Makes the key, so that no watched thread has to.
  static func prepare() { _ = key }

  /// Called on the thread of an event loop that is about to ask for events, and if `waits`, to wait for them. Allocates
  /// and takes a lock only at a thread's first call.
  static func willWait(_ waits: Bool) {
    guard let tap = onThisThread ?? begin() else { return }
    observeEnd(tap, waits: waits)
  }

  /// Called when the wait is over.
  static func didWait() {
    guard let tap = onThisThread else { return }
    observeBegin(tap)
  }

  private static var onThisThread: UnsafeMutablePointer<ModeTap>? {
    guard let key, let known = pthread_getspecific(key) else { return nil }
    return Unmanaged<ThreadEventLoop>.fromOpaque(known).takeUnretainedValue().tap
  }

  /// What stands for the calling thread's event loop among the addresses of loops: no address, because it is odd.
  private static var object: UInt { UInt(stallwatch_thread_pointer()) | 1 }

  /// Puts the calling thread's loop under watch at its first wait. Nil where it is not watched.
  private static func begin() -> UnsafeMutablePointer<ModeTap>? {
    guard let key, pthread_getspecific(key) == nil, let registry = HooksListener.watchingEveryLoop else { return nil }
    let watched = registry.watch(
      .eventLoop, object, isMain: stallwatch_thread_id() == UInt64(getpid()), name: nil, mode: mode)
    // Without room for the loop it is remembered, too, so that it is counted once.
    let thread = ThreadEventLoop(tap: watched?.memory.tap(at: 0))
    pthread_setspecific(key, Unmanaged.passRetained(thread).toOpaque())
    guard let tap = thread.tap else { return nil }
    observe(tap, .entry, at: tap.pointee.clock.counted ?? Platform.now())
    StartUp.end()
    return tap
  }
}

/// What one thread knows of its own event loop.
private final class ThreadEventLoop {
  /// Where its activities go; nil where there is no room for it. The memory is never unmapped.
  let tap: UnsafeMutablePointer<ModeTap>?

  init(tap: UnsafeMutablePointer<ModeTap>?) { self.tap = tap }
}
