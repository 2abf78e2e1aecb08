import CoreFoundation
import StallwatchCore

/// What the watchdog knows of one loop's ticks. Used on its thread only. A class, because every pass asks it some times
/// over, and a struct would be copied for each.
final class LoopDrift {
  /// A wake-up of the loop for a tick.
  private struct Wake {
    var dueNs: Nanoseconds
    var atNs: Nanoseconds
    /// The loop's own activities before the wake-up.
    var activities: UInt64
  }

  var pairing: DriftPairing
  /// The last wake-up; nil once the loop has served a tick.
  private var wake: Wake?

  init(pairing: DriftPairing) { self.pairing = pairing }

  /// The due time of the tick for which the loop was woken and which it has not served yet.
  var wokenForNs: Nanoseconds? { wake?.dueNs }
  /// When the loop was woken for that tick.
  var wokenNs: Nanoseconds? { wake?.atNs }

  /// Notes a wake-up that is about to happen.
  func willWake(for dueNs: Nanoseconds, at now: Nanoseconds, activities: UInt64) {
    wake = Wake(dueNs: dueNs, atNs: now, activities: activities)
  }

  /// Takes a tick that the loop's thread served.
  func take(_ tick: ServedTick, excluding exclusions: Exclusions) {
    var wokenNs: Nanoseconds?
    if let wake, wake.dueNs == tick.dueNs, let servedNs = tick.servedNs, servedNs >= wake.atNs {
      wokenNs = wake.atNs
    }
    wake = nil
    pairing.take(tick, wokenNs: wokenNs, excluding: exclusions)
  }

  /// The loop's own activities, of which its region counts `activities` now. Those of a wake-up do not count until the
  /// report of its tick is taken; from then on the region knows about them.
  func own(_ activities: UInt64) -> UInt64 {
    guard let wake else { return activities }
    return wake.activities &+ activities.since(wake.activities).since(LoopFold.activitiesOfTickWake)
  }
}

/// The modes of a loop that the drift probe ticks in: the common modes, where programs put the timers that should
/// always fire, and the modes chosen besides.
///
/// CF does not say which modes are common. So this adds an observer of no activity, which CF never calls, to the common
/// modes for a moment; the modes that then contain it are common.
struct DriftModes: @unchecked Sendable {
  private let marker: CFRunLoopObserver
  private let chosen: [String]

  init?(chosen: [String]) {
    guard let marker = CFRunLoopObserverCreate(nil, 0, true, 0, { _, _, _ in }, nil) else { return nil }
    self.marker = marker
    self.chosen = chosen
  }

  /// The places of the probe's modes among `modes`. Any thread, under the registry's lock; takes CF's lock on the loop.
  func places(in loop: CFRunLoop, among modes: [AttachedMode]) -> [Int] {
    CFRunLoopAddObserver(loop, marker, kCFRunLoopCommonModes)
    // Removed, never invalidated: invalidating is not safe while the loop's thread runs.
    defer { CFRunLoopRemoveObserver(loop, marker, kCFRunLoopCommonModes) }
    return modes.indices.filter { place in
      CFRunLoopContainsObserver(loop, marker, modes[place].name)
        || chosen.contains(String(describing: modes[place].name))
    }
  }
}
