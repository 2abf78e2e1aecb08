import StallwatchCore
import StallwatchLibc

/// A value that threads share and wait for: a POSIX mutex and condition around it. Any thread may use it.
///
/// Waiting without a limit causes no wake-up; a timer or a polled flag would.
final class Condition<Value>: @unchecked Sendable {
  private var value: Value
  // Allocated, because their addresses must not change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
      pthread_cond_init(changed, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(changed, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes the value. Wakes no thread.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }

  /// Changes the value and wakes the threads that wait; if `body` returns false, they sleep on.
  func change(_ body: (inout Value) -> Bool) {
    pthread_mutex_lock(mutex)
    let wakes = body(&value)
    pthread_mutex_unlock(mutex)
    if wakes { pthread_cond_broadcast(changed) }
  }

  /// Waits until `body` returns a result, at most until `deadline` on the monotonic clock; nil when that has passed.
  func wait<Result>(until deadline: Nanoseconds? = nil, _ body: (inout Value) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      if let deadline {
        guard sleep(until: deadline) else { return body(&value) }
      } else {
        pthread_cond_wait(changed, mutex)
      }
    }
  }

  /// Sleeps with the mutex released. Returns false when `deadline` has passed.
  private func sleep(until deadline: Nanoseconds) -> Bool {
    #if canImport(Darwin)
      let rest = deadline.since(monotonicNow())
      var time = timespec(tv_sec: Int(rest / .second), tv_nsec: Int(rest % .second))
      return rest > 0 && pthread_cond_timedwait_relative_np(changed, mutex, &time) != ETIMEDOUT
    #else
      var time = timespec(tv_sec: Int(deadline / .second), tv_nsec: Int(deadline % .second))
      return pthread_cond_timedwait(changed, mutex, &time) != ETIMEDOUT
    #endif
  }
}

/// The present moment on the monotonic clock.
func monotonicNow() -> Nanoseconds { readClock(CLOCK_MONOTONIC) }

/// The CPU time that the calling thread has used, in nanoseconds.
func threadCPUNow() -> Nanoseconds { readClock(CLOCK_THREAD_CPUTIME_ID) }

private func readClock(_ clock: clockid_t) -> Nanoseconds {
  var time = timespec()
  clock_gettime(clock, &time)
  return Nanoseconds(time.tv_sec) * .second + Nanoseconds(time.tv_nsec)
}
