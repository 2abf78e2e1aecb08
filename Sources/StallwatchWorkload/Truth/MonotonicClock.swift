import Foundation

/// A duration, or a time on the monotonic clock, in nanoseconds.
typealias Nanoseconds = UInt64

/// The clock of all times in the truth.
enum MonotonicClock {
  /// `CLOCK_MONOTONIC`; on Apple's systems the counterpart that stops while the machine sleeps.
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
