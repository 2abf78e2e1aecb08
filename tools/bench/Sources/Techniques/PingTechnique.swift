import Dispatch
import Foundation
import Synchronization

/// A thread sends a block to the main queue, sleeps for a fifth of the threshold, and counts how often it slept since
/// one was served; at five it reports. A sleep that took far too long shows nothing: the program was suspended then.
///
/// The hang detection of Sentry's "app hang" version 1 (2 s) works like this; Datadog's watchdog thread sends one block
/// at a time.
public final class PingTechnique: Technique, Sendable {
  /// What it is called in the tables.
  public static let name = "ping"
  /// The bound of its description, in nanoseconds.
  public static let usualThreshold: UInt64 = 2_000_000_000

  private static let looks: UInt64 = 5

  private struct Pings {
    /// Sleeps since a ping was served.
    var unserved: UInt64 = 0
    /// When the first of those that are not served was sent.
    var sent: UInt64 = 0
    var isReported = false
  }

  private let pings = Mutex(Pings())

  /// Begins to watch the main loop; on the main thread.
  public init(threshold: UInt64, report: @escaping @Sendable (Sighting) -> Void) {
    let thread = Thread { [self] in
      while true {
        let began = monotonicNow()
        pings.withLock { pings in
          if pings.unserved == 0 { pings.sent = began }
          pings.unserved += 1
        }
        DispatchQueue.main.async { [self] in served(report) }
        Thread.sleep(forTimeInterval: Double(threshold / Self.looks) / 1e9)
        let now = monotonicNow()
        guard now - began < 2 * threshold else { continue }
        let sent: UInt64? = pings.withLock { pings in
          guard pings.unserved >= Self.looks, !pings.isReported else { return nil }
          pings.isReported = true
          return pings.sent
        }
        if let sent { report(Sighting(started: sent, ended: nil, reported: now)) }
      }
    }
    thread.start()
  }

  private func served(_ report: (Sighting) -> Void) {
    let now = monotonicNow()
    let reported: UInt64? = pings.withLock { pings in
      defer { pings = Pings() }
      return pings.isReported ? pings.sent : nil
    }
    if let reported { report(Sighting(started: reported, ended: now, reported: now)) }
  }
}
