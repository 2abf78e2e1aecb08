import Foundation

/// A duration, or a moment on the monotonic clock, in nanoseconds.
typealias Nanoseconds = UInt64

/// The clock that truth is told in.
enum MonotonicClock {
  /// `CLOCK_MONOTONIC`; on Apple's systems its counterpart that stands still while the machine sleeps.
  static var now: Nanoseconds {
    #if canImport(Darwin)
      clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
    #else
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    #endif
  }
}
