import StallwatchLibc

/// A value behind a lock that any running thread may take as soon as it is free.
///
/// Swift's `Mutex` inherits priorities on Linux: it goes to the thread that has waited longest, and while that thread
/// waits for a processor no other thread gets it. Where a hundred threads compute on two processors, each handover
/// takes 100 to 200 ms, for the program's threads and the watchdog. A POSIX mutex is not handed over, and
/// ThreadSanitizer sees it.
struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Their addresses must not change. Both are used only with the mutex held, which makes this Sendable.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  init(_ value: consuming Value) {
    pthread_mutex_init(mutex, nil)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Waits for the lock, and holds it while `body` runs.
  borrowing func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }

  /// Like ``withLock(_:)`` without waiting: returns nil and does not call `body` while another thread holds the lock.
  borrowing func withLockIfAvailable<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result? {
    guard pthread_mutex_trylock(mutex) == 0 else { return nil }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
