import Foundation

/// What the system says about the calling thread. Create and use it on one thread.
final class ThreadFacts {
  /// The system's number for the thread: gettid on Linux.
  let id: UInt64
  private let schedstat: Int32

  /// The facts of the calling thread.
  init() {
    #if canImport(Darwin)
      var number: UInt64 = 0
      pthread_threadid_np(nil, &number)
      id = number
      schedstat = -1
    #else
      // Swift does not see gettid; the link reads "PID/task/TID".
      let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      id = link.flatMap { UInt64($0.split(separator: "/").last ?? "") } ?? 0
      schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
    #endif
  }

  deinit { if schedstat >= 0 { close(schedstat) } }

  /// How long the thread has been runnable without a processor since it started; nil where the system does not say.
  /// Takes a few microseconds and allocates nothing.
  var runDelay: Nanoseconds? {
    guard schedstat >= 0 else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 96, alignment: 1) { buffer in
      let length = pread(schedstat, buffer.baseAddress, buffer.count, 0)
      guard length > 0 else { return nil }
      var fields = buffer[..<length].split(separator: UInt8(ascii: " ")).dropFirst()
      return fields.popFirst()?.reduce(0) { $0 * 10 + Nanoseconds($1 &- UInt8(ascii: "0")) }
    }
  }
}
