import CoreFoundation
import Dispatch

/// At every wake of the main loop a semaphore is made and awaited on a queue; the loop signals it before it waits again.
/// Whoever waits says so when the threshold has passed.
///
/// Sentry's newest delay tracker works like this (`SentryRunLoopDelayTracker`): semaphores of one wake, the wait on a
/// queue, 2 s as its usual bound.
public final class SemaphoreTechnique: Technique {
  /// What it is called in the tables.
  public static let name = "semaphore per wake"
  /// The bound of its description, in nanoseconds.
  public static let usualThreshold: UInt64 = 2_000_000_000

  private var current: DispatchSemaphore?
  private let queue = DispatchQueue(label: "semaphore-per-wake", qos: .userInteractive)

  /// Begins to watch the main loop; on the main thread.
  public init(threshold: UInt64, report: @escaping @Sendable (Sighting) -> Void) {
    let activities: CFRunLoopActivity = [.afterWaiting, .beforeWaiting]
    let observer = CFRunLoopObserverCreateWithHandler(nil, activities.rawValue, true, 0) {
      [unowned(unsafe) self] _, activity in
      if activity == .beforeWaiting {
        current?.signal()
        current = nil
        return
      }
      let semaphore = DispatchSemaphore(value: 0)
      current = semaphore
      let woke = monotonicNow()
      queue.async {
        guard semaphore.wait(timeout: .now() + .nanoseconds(Int(threshold))) == .timedOut else { return }
        report(Sighting(started: woke, ended: nil, told: monotonicNow()))
        semaphore.wait()
        let now = monotonicNow()
        report(Sighting(started: woke, ended: now, told: now))
      }
    }
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)
  }
}
