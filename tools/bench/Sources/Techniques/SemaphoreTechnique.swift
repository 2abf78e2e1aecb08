import CoreFoundation
import Dispatch

/// At every wake of the main loop a semaphore is made and awaited on a queue, for one and a half frames at a time; the
/// loop signals it before it waits again. Whoever waits says so when the threshold has passed, and when it is over.
///
/// Sentry's newest delay tracker works like this (`SentryRunLoopDelayTracker`): one observer behind all others,
/// semaphores of one wake, the wait on a serial queue, 2 s as its usual bound.
public final class SemaphoreTechnique: Technique {
  /// What it is called in the tables.
  public static let name = "semaphore per wake"
  /// The bound of its description, in nanoseconds.
  public static let usualThreshold: UInt64 = 2_000_000_000

  private static let poll = DispatchTimeInterval.milliseconds(25)

  private var current: DispatchSemaphore?
  private let queue = DispatchQueue(label: "semaphore-per-wake")

  /// Begins to watch the main loop; on the main thread.
  public init(threshold: UInt64, report: @escaping @Sendable (Sighting) -> Void) {
    let activities: CFRunLoopActivity = [.afterWaiting, .beforeWaiting]
    let observer = CFRunLoopObserverCreateWithHandler(nil, activities.rawValue, true, CFIndex(Int32.max)) {
      [unowned(unsafe) self] _, activity in
      if activity == .beforeWaiting {
        current?.signal()
        return
      }
      let semaphore = DispatchSemaphore(value: 0)
      current = semaphore
      let woke = monotonicNow()
      queue.async { Self.wait(for: semaphore, since: woke, threshold: threshold, report) }
    }
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)
  }

  private static func wait(
    for semaphore: DispatchSemaphore, since woke: UInt64, threshold: UInt64, _ report: (Sighting) -> Void
  ) {
    var isReported = false
    while semaphore.wait(timeout: .now() + poll) == .timedOut {
      let now = monotonicNow()
      guard !isReported, now - woke > threshold else { continue }
      isReported = true
      report(Sighting(started: woke, ended: nil, reported: now))
    }
    let now = monotonicNow()
    if isReported { report(Sighting(started: woke, ended: now, reported: now)) }
  }
}
