import CStallwatch
import StallwatchCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A thread that sleeps for as long as its process is watched. It has nothing to do and nobody wakes it, but the kernel, to
/// stop it with the whole process. So its CPU time grows when the process is stopped, frozen or attached to by a debugger,
/// and at no other time, however busy, starved or short of memory the machine is.
///
/// It waits for a lock that the watchdog holds, one that inherits priorities: since Linux 6.1 the freezer of cgroup v1
/// leaves threads asleep that wait in most other ways. Used on the thread that made it alone.
final class Sleeper: @unchecked Sendable {
  #if os(Linux)
    private let bed: Bed
    private var isAsleep = false
    /// It calls nothing but the lock; a program may have all its memory locked, or little address space.
    private static let stackSize = 256 << 10

    /// Nil when the system has no thread or no such lock for it.
    init?() {
      guard let bed = Bed() else { return nil }
      guard WatchdogThread(name: "stallwatch-idle", stackSize: Self.stackSize, { bed.lie() }) != nil else {
        bed.leave()
        return nil
      }
      self.bed = bed
    }

    /// Its CPU time so far; nil until it has fallen asleep for the first time.
    var cpu: Nanoseconds? {
      let threadID = bed.threadID
      guard threadID != 0 else { return nil }
      if !isAsleep {
        var ignored: UInt64 = 0
        isAsleep = stallwatch_thread_letter(threadID, &ignored) == CChar(UInt8(ascii: "S"))
      }
      return isAsleep ? Platform.cpu(ofThread: threadID) : nil
    }

    /// Ends the thread, and does not wait for that.
    func end() { bed.leave() }
  #else
    /// Apple's systems stop a process without running its threads: nothing would show.
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

    /// Taken by the calling thread. Nil where the system has no lock that inherits priorities.
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

    /// The thread that lies in it; 0 before.
    var threadID: UInt64 { sleeperID.load(ordering: .acquiring) }

    /// Sleeps until ``leave()``. From the store on the only thing to wait for is the lock.
    func lie() {
      sleeperID.store(stallwatch_thread_id(), ordering: .releasing)
      if pthread_mutex_lock(lock) == 0 { pthread_mutex_unlock(lock) }
    }

    /// Gives the lock up, so that the sleeper ends. By the thread that made it.
    func leave() { pthread_mutex_unlock(lock) }
  }
#endif
