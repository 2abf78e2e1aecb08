import Foundation
import Synchronization

/// A thread that holds a lock for a given time, so that one loop has something to wait for.
final class LockKeeper: Sendable {
  /// The locks shared with the loop.
  let locks = SharedLocks()
  private let order = Mutex<(lock: LockKind, length: Nanoseconds)?>(nil)
  private let asked = DispatchSemaphore(value: 0)
  private let locked = DispatchSemaphore(value: 0)

  /// Starts the thread `keeper-N`, which runs as long as the program.
  init(number: Int) {
    let thread = Thread { [self] in
      nameThread("keeper-\(number)")
      while true {
        asked.wait()
        guard let order = order.withLock({ $0 }) else { continue }
        switch order.lock {
        case .pthread: holdContendedPthreadMutex(order.length)
        case .foundation: holdContendedNSLock(order.length)
        case .synchronization: holdContendedMutex(order.length)
        }
      }
    }
    thread.start()
  }

  /// Returns as soon as the keeper's thread holds the lock. The thread releases it after `length`.
  func hold(_ lock: LockKind, for length: Nanoseconds) {
    order.withLock { $0 = (lock, length) }
    asked.signal()
    locked.wait()
  }

  @inline(never)
  private func holdContendedPthreadMutex(_ length: Nanoseconds) {
    pthread_mutex_lock(locks.pthread)
    locked.signal()
    sleepStall(length)
    pthread_mutex_unlock(locks.pthread)
  }

  @inline(never)
  private func holdContendedNSLock(_ length: Nanoseconds) {
    locks.foundation.lock()
    locked.signal()
    sleepStall(length)
    locks.foundation.unlock()
  }

  @inline(never)
  private func holdContendedMutex(_ length: Nanoseconds) {
    locks.synchronization.withLock { _ in
      _ = locked.signal()
      sleepStall(length)
    }
  }
}

/// One lock of each kind.
final class SharedLocks: Sendable {
  let foundation = NSLock()
  let synchronization = Mutex(0)
  nonisolated(unsafe) let pthread = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() { pthread_mutex_init(pthread, nil) }

  deinit {
    pthread_mutex_destroy(pthread)
    pthread.deallocate()
  }
}
