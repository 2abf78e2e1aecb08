import CoreFoundation
import Glibc

/// An observer measures from each wake to the next wait on the wall clock, and tells of what took too long when it is over.
///
/// Datadog's long-task observer works like this (0.1 s); Matrix and BlockCanary measure the same time and look at it
/// from a thread.
public final class WakeToWaitTechnique: Technique {
  /// What it is called in the tables.
  public static let name = "wake to wait"
  /// The bound of its description, in nanoseconds.
  public static let usualThreshold: UInt64 = 100_000_000

  private var woke: UInt64 = 0
  private var wokeByWall: UInt64 = 0

  /// Begins to watch the main loop; on the main thread.
  public init(threshold: UInt64, report: @escaping @Sendable (Sighting) -> Void) {
    let activities: CFRunLoopActivity = [.afterWaiting, .beforeWaiting]
    let observer = CFRunLoopObserverCreateWithHandler(nil, activities.rawValue, true, 0) {
      [unowned(unsafe) self] _, activity in
      if activity == .afterWaiting {
        woke = monotonicNow()
        wokeByWall = wallNow()
        return
      }
      guard wokeByWall != 0 else { return }
      let took = wallNow() &- wokeByWall
      let now = monotonicNow()
      if took >= threshold, took < UInt64.max / 2 { report(Sighting(started: woke, ended: woke + took, told: now)) }
      wokeByWall = 0
    }
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)
  }
}

private func wallNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
