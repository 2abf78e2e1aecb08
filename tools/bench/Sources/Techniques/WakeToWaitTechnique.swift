import CoreFoundation
import Foundation
import Synchronization

/// Observers note by the wall clock when the main loop begins to work and when it waits; a thread looks every half of
/// the threshold whether it has been working for that long.
///
/// Matrix works like this (2 s). It reports a stall while it goes on, not of its end. Its mark of an entry has no
/// time: a loop that is entered anew is judged from when it last waited.
public final class WakeToWaitTechnique: Technique, Sendable {
  /// What it is called in the tables.
  public static let name = "wake to wait"
  /// The bound of its description, in nanoseconds.
  public static let usualThreshold: UInt64 = 2_000_000_000

  private let isWorking = Atomic(false)
  /// When it last began to work or to wait, on the wall clock.
  private let began = Atomic<UInt64>(0)

  /// Begins to watch the main loop; on the main thread.
  public init(threshold: UInt64, report: @escaping @Sendable (Sighting) -> Void) {
    observe([.entry, .beforeTimers, .beforeSources, .afterWaiting], order: .min) { [unowned(unsafe) self] activity in
      guard !isWorking.load(ordering: .relaxed) else { return }
      if activity != .entry { began.store(wallNow(), ordering: .relaxed) }
      isWorking.store(true, ordering: .releasing)
    }
    observe([.beforeWaiting, .exit], order: .max) { [unowned(unsafe) self] activity in
      isWorking.store(false, ordering: .releasing)
      if activity == .beforeWaiting { began.store(wallNow(), ordering: .relaxed) }
    }
    let thread = Thread { [self] in
      var reported: UInt64 = 0
      while true {
        Thread.sleep(forTimeInterval: Double(threshold / 2) / 1e9)
        guard isWorking.load(ordering: .acquiring) else { continue }
        let start = began.load(ordering: .relaxed)
        let (now, monotonic) = (wallNow(), monotonicNow())
        guard start != 0, start != reported, now > start, now - start > threshold else { continue }
        reported = start
        report(Sighting(started: monotonic - (now - start), ended: nil, reported: monotonic))
      }
    }
    thread.start()
  }

  private func observe(
    _ activities: CFRunLoopActivity, order: CFIndex, _ note: @escaping (CFRunLoopActivity) -> Void
  ) {
    let observer = CFRunLoopObserverCreateWithHandler(nil, activities.rawValue, true, order) { note($1) }
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)
  }
}
