import CStallwatch
import Foundation

#if os(Linux)
  /// The threads of this process, as a bench sees them.
  enum OwnThreads {
    /// The kernel's ID of the thread of a name; there must be one.
    static func id(of name: String) -> UInt64 {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      let found = tasks.first {
        (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == name + "\n"
      }
      return found.flatMap { UInt64($0) } ?? 0
    }

    /// CPU time of a thread in nanoseconds, in the program and in the kernel.
    static func cpu(of threadID: UInt64) -> UInt64 { stallwatch_thread_cpu(threadID) }

    /// The CPU clock of a thread, as the kernel numbers it.
    static func clock(of threadID: UInt64) -> clockid_t { clockid_t(~Int32(truncatingIfNeeded: threadID) << 3 | 6) }

    /// CPU time of the calling thread in nanoseconds.
    static func ownCPU() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    /// The monotonic clock, in nanoseconds.
    static func now() -> UInt64 { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> UInt64 {
      var time = timespec()
      clock_gettime(clock, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
  }
#endif
