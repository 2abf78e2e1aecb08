import StallwatchCore
import StallwatchFleet
import StallwatchLibc

/// The system's clocks, and its signals to end: SIGINT, SIGTERM and SIGHUP.
final class SystemShippingClock: ShippingClock {
  private static let endings = [SIGINT, SIGTERM, SIGHUP]
  private var hasEnded = false

  /// Blocks the signals, which must be done before other threads begin: they inherit it.
  init() {
    var set = Self.set
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A peer that goes away, and a file that may not grow, are errors of their writes.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  var now: Nanoseconds { Self.time(CLOCK_MONOTONIC) }
  var wall: UInt64 { Self.time(CLOCK_REALTIME) }
  var chance: Double { Double.random(in: 0...1) }

  var isStopped: Bool {
    if !hasEnded { take(within: 0) }
    return hasEnded
  }

  func wait(until moment: Nanoseconds) {
    while !isStopped, now < moment { take(within: moment.since(now)) }
  }

  /// Waits for a signal.
  private func take(within duration: Nanoseconds) {
    #if canImport(Darwin)
      // There is no call that waits for either.
      var pending = sigset_t()
      sigpending(&pending)
      if Self.endings.contains(where: { sigismember(&pending, $0) == 1 }) { hasEnded = true }
      if !hasEnded, duration > 0 { usleep(UInt32(min(duration, 100 * .millisecond) / .microsecond)) }
    #else
      var set = Self.set
      var limit = timespec()
      limit.tv_sec = Int(duration / .second)
      limit.tv_nsec = Int(duration % .second)
      if sigtimedwait(&set, nil, &limit) > 0 { hasEnded = true }
    #endif
  }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in endings { sigaddset(&set, signal) }
    return set
  }

  private static func time(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(max(time.tv_sec, 0)) * .second + UInt64(time.tv_nsec)
  }
}
