import CStallwatch
import StallwatchCore
import StallwatchLibc
import Synchronization

/// A thread that sleeps for as long as its process is watched. It has nothing to do, and only the kernel wakes it, to
/// stop it with the whole process. So its CPU time grows when the process is stopped, frozen or attached to by a
/// debugger, and at no other time, however busy, starved or short of memory the machine is.
///
/// It waits for a lock that the watchdog holds and that inherits priorities: since Linux 6.1 the freezer of cgroup v1
/// leaves threads asleep that wait in most other ways. Used only on the thread that made it.
final class Sleeper: @unchecked Sendable {
  #if os(Linux)
    private let bed: Bed
    private var isAsleep = false
    /// In bytes. The thread only calls the lock; a program may lock all its memory, or have little address space.
    private static let stackSize = 256 << 10

    /// Nil when the system gives no thread or no such lock.
    init?() {
      guard let bed = Bed() else { return nil }
      guard WatchdogThread(name: "stallwatch-idle", stackSize: Self.stackSize, { bed.lie() }) != nil else {
        bed.leave()
        return nil
      }
      self.bed = bed
    }

    /// The thread's CPU time so far; nil until it has fallen asleep for the first time.
    var cpu: Nanoseconds? {
      let threadID = bed.threadID
      guard threadID != 0 else { return nil }
      if !isAsleep {
        var ignored: UInt64 = 0
        isAsleep = stallwatch_thread_letter(threadID, &ignored) == CChar(UInt8(ascii: "S"))
      }
      return isAsleep ? Platform.cpu(ofThread: threadID) : nil
    }

    /// Ends the thread without waiting for its end.
    func end() { bed.leave() }
  #else
    /// Apple's systems stop a process without running its threads, so there would be nothing to read.
    init?() { return nil }
    var cpu: Nanoseconds? { nil }
    func end() {}
  #endif
}

#if os(Linux)
  /// The lock that the sleeper waits for.
  private final class Bed: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let sleeperID = Atomic<UInt64>(0)

    /// Locked by the calling thread. Nil where the system has no lock that inherits priorities.
    init?() {
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      defer { pthread_mutexattr_destroy(&attributes) }
      guard pthread_mutexattr_setprotocol(&attributes, CInt(PTHREAD_PRIO_INHERIT)) == 0,
        pthread_mutex_init(lock, &attributes) == 0
      else {
        lock.deallocate()
        return nil
      }
      pthread_mutex_lock(lock)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    /// The kernel's ID of the sleeping thread; 0 before it runs.
    var threadID: UInt64 { sleeperID.load(ordering: .acquiring) }

    /// Sleeps until ``leave()``. After it has stored its ID, the thread waits for nothing but the lock.
    func lie() {
      sleeperID.store(stallwatch_thread_id(), ordering: .releasing)
      if pthread_mutex_lock(lock) == 0 { pthread_mutex_unlock(lock) }
    }

    /// Unlocks, so that the sleeper ends. Only on the thread that made the lock.
    func leave() { pthread_mutex_unlock(lock) }
  }
#endif
