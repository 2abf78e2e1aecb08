import CoreFoundation

/// Observers measure on the wall clock from each activity to the next, but for the wait, and report what took too long
/// when it is over.
///
/// Datadog's long-task observer works like this (0.1 s).
public final class ActivityToActivityTechnique: Technique {
  /// What it is called in the tables.
  public static let name = "activity to activity"
  /// The bound of its description, in nanoseconds.
  public static let usualThreshold: UInt64 = 100_000_000

  /// The activity before, on the wall clock; nil while the loop waits.
  private var last: UInt64?

  /// Begins to watch the main loop; on the main thread.
  public init(threshold: UInt64, report: @escaping @Sendable (Sighting) -> Void) {
    observe([.entry, .beforeTimers, .beforeSources, .afterWaiting], order: .min, threshold, report) { $0 }
    observe([.beforeWaiting, .exit], order: .max, threshold, report) { _ in nil }
  }

  private func observe(
    _ activities: CFRunLoopActivity, order: CFIndex, _ threshold: UInt64, _ report: @escaping (Sighting) -> Void,
    remembered: @escaping (UInt64) -> UInt64?
  ) {
    let observer = CFRunLoopObserverCreateWithHandler(nil, activities.rawValue, true, order) {
      [unowned(unsafe) self] _, _ in
      let now = wallNow()
      if let last, now > last, now - last > threshold {
        let monotonic = monotonicNow()
        report(Sighting(started: monotonic - (now - last), ended: monotonic, reported: monotonic))
      }
      last = remembered(now)
    }
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)
  }
}
