import StallwatchCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells when the thread of a watched loop ends, through the destructor of a thread-specific value. A thread has a board under
/// each monitor that watches it; they hang together.
enum ThreadEnd {
  /// The key, or nil when the process has none left: then a loop's end is seen only when watching stops.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    // The destructor runs on the ending thread, after its last run loop has returned.
    let failed = pthread_key_create(&key) { memory in
      #if canImport(Glibc)
        guard let memory else { return }
      #endif
      var board: LoopBoard? = LoopBoard(memory: memory)
      while let ended = board {
        // Asked before: from then on the memory may serve another loop.
        board = ended.nextOnThread
        ended.endThread()
      }
    }
    return failed == 0 ? key : nil
  }()

  /// Makes the key, so that ``watch(_:)`` need not do so on a watched thread.
  static func prepare() { _ = key }

  /// Sets the calling thread's value. No allocation where the key is among the first 32.
  static func watch(_ board: LoopBoard) {
    guard let key else { return }
    board.setNextOnThread(pthread_getspecific(key).map { LoopBoard(memory: $0) })
    pthread_setspecific(key, board.memory)
  }
}
