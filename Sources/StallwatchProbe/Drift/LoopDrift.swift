import StallwatchCore

/// What the watchdog knows of one loop's ticks.
struct LoopDrift {
  /// A wake-up for a tick.
  private struct Wake {
    var dueNs: Nanoseconds
    var atNs: Nanoseconds
    /// The loop's activities until then.
    var activities: UInt64
  }

  var pairing: DriftPairing
  /// The last one; nil once the loop has served a tick.
  private var wake: Wake?
  /// Activities of wake-ups for nothing but a tick.
  private var ownActivities: UInt64 = 0

  /// What such a wake-up makes the loop tell: afterWaiting, beforeTimers, beforeSources, beforeWaiting.
  private static let activitiesOfWake: UInt64 = 4

  init(pairing: DriftPairing) { self.pairing = pairing }

  /// When the tick was due for which the loop was woken and which it has not served yet.
  var wokenForNs: Nanoseconds? { wake?.dueNs }
  /// When it was woken.
  var wokenNs: Nanoseconds? { wake?.atNs }

  /// The loop is about to be woken.
  mutating func willWake(for dueNs: Nanoseconds, at now: Nanoseconds, activities: UInt64) {
    wake = Wake(dueNs: dueNs, atNs: now, activities: activities)
  }

  /// Takes what the loop's thread told.
  mutating func take(_ tick: ServedTick, excluding exclusions: Exclusions) {
    var wokenNs: Nanoseconds?
    if let wake, wake.dueNs == tick.dueNs, let servedNs = tick.servedNs, servedNs >= wake.atNs {
      wokenNs = wake.atNs
      ownActivities += Self.activitiesOfWake
    }
    wake = nil
    pairing.take(tick, wokenNs: wokenNs, excluding: exclusions)
  }

  /// How many of a loop's activities are its own, and not of a wake-up for a tick.
  func withoutWakes(_ activities: UInt64) -> UInt64 {
    let underWay = wake.map { min(activities &- $0.activities, Self.activitiesOfWake) } ?? 0
    return activities &- ownActivities &- underWay
  }
}
