import Foundation

/// Waits for a lock that `keeper`'s thread holds for `length`.
@inline(never)
func lockStall(_ length: Nanoseconds, lock: LockKind, keeper: LockKeeper) {
  keeper.hold(lock, for: length)
  switch lock {
  case .pthread:
    pthread_mutex_lock(keeper.locks.pthread)
    pthread_mutex_unlock(keeper.locks.pthread)
  case .foundation:
    keeper.locks.foundation.lock()
    keeper.locks.foundation.unlock()
  case .synchronization:
    keeper.locks.synchronization.withLock { blackHole($0) }
  }
}
