import StallwatchCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells one monitor when the threads of its loops end, through the destructor of a thread-specific value. Each monitor of a
/// process has a key of its own: a thread may have a loop under several of them.
final class ThreadEnd: Sendable {
  /// Nil when the process has no key left: then a loop's end is seen only when watching stops.
  let key: pthread_key_t?

  /// Keys of monitors that are gone. Not deleted: an observer that is late would set the value of whoever has the key next.
  private static let unused = Mutex<[pthread_key_t]>([])

  init() { key = Self.unused.withLock { $0.popLast() } ?? Self.make() }

  deinit {
    guard let key else { return }
    Self.unused.withLock { $0.append(key) }
  }

  private static func make() -> pthread_key_t? {
    var key = pthread_key_t()
    // The destructor runs on the ending thread, after its last run loop has returned. A board's memory is never given back.
    let failed = pthread_key_create(&key) { memory in
      #if !canImport(Darwin)
        guard let memory else { return }
      #endif
      LoopBoard(memory: memory).endThread()
    }
    return failed == 0 ? key : nil
  }

  /// Sets the calling thread's value. No allocation where the key is among the first 32.
  static func watch(_ board: LoopBoard, by key: pthread_key_t?) {
    if let key { pthread_setspecific(key, board.memory) }
  }
}
