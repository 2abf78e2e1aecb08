import Dispatch
import Foundation
import Synchronization

/// A thread sends a block to the main queue, sleeps, and looks whether it was served: five looks in a threshold's time.
///
/// The hang detection of Sentry's "app hang" version 1 (2 s) and Datadog's watchdog thread work like this.
public final class PingTechnique: Technique {
  /// What it is called in the tables.
  public static let name = "ping"
  /// The bound of its description, in nanoseconds.
  public static let usualThreshold: UInt64 = 2_000_000_000

  private static let looks: UInt64 = 5

  /// Begins to watch the main loop; on the main thread.
  public init(threshold: UInt64, report: @escaping @Sendable (Sighting) -> Void) {
    let unserved = Atomic<UInt64>.Shared()
    let thread = Thread {
      let pause = threshold / Self.looks
      var sent = monotonicNow()
      var isTold = false
      while true {
        // One ping at a time: its count of looks without an answer is what is judged.
        if unserved.value.load(ordering: .acquiring) == 0 {
          if isTold { report(Sighting(started: sent, ended: monotonicNow(), told: monotonicNow())) }
          isTold = false
          sent = monotonicNow()
          unserved.value.store(1, ordering: .releasing)
          DispatchQueue.main.async { unserved.value.store(0, ordering: .releasing) }
        }
        Thread.sleep(forTimeInterval: Double(pause) / 1e9)
        let now = monotonicNow()
        if !isTold, unserved.value.load(ordering: .acquiring) != 0, now - sent >= threshold {
          isTold = true
          report(Sighting(started: sent, ended: nil, told: now))
        }
      }
    }
    thread.start()
  }
}

extension Atomic where Value == UInt64 {
  /// One that closures can share.
  final class Shared: Sendable {
    let value = Atomic(0)
  }
}
