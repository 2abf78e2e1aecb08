import StallwatchCore
import StallwatchStore

/// The timers of one session. A program may make a new timer for each request. Once a site has made many alike, they
/// are folded into one, so that a report takes memory for the sites, not for all timers.
struct TimerSites {
  /// The most timers of one site shown one by one.
  static let mostOfSite = 20

  /// What the timers of one site have in common.
  private struct Site: Hashable {
    var loop: Int64?
    var name: String?
    var kind: TimerRecord.Kind
    var origin: UInt64
    var interval: Nanoseconds
    var tolerance: Nanoseconds
    var modes: [String]

    init(_ timer: StoredTimer) {
      loop = timer.loop
      (name, kind, origin) = (timer.record.name, timer.record.kind, timer.record.origin)
      (interval, tolerance, modes) = (timer.record.interval, timer.record.tolerance, timer.record.modes)
    }
  }

  private var sites: [Site: [StoredTimer]] = [:]
  /// The number of timers in each folded site.
  private var counts: [Site: Int] = [:]
  /// The sites in the order in which they were seen.
  private var order: [Site] = []

  mutating func add(_ timer: StoredTimer) {
    let site = Site(timer)
    if let count = counts[site] {
      sites[site]?[0].add(timer)
      counts[site] = count + 1
      return
    }
    if sites[site] == nil { order.append(site) }
    sites[site, default: []].append(timer)
    guard let all = sites[site], all.count > Self.mostOfSite, var first = all.first else { return }
    for other in all.dropFirst() { first.add(other) }
    sites[site] = [first]
    counts[site] = all.count
  }

  /// The timers, each with the number of timers that it stands for.
  var timers: [(timer: StoredTimer, count: Int)] {
    order.flatMap { site in (sites[site] ?? []).map { ($0, counts[site] ?? 1) } }
  }
}

extension StoredTimer {
  /// Adds the figures of another timer of the same site.
  fileprivate mutating func add(_ other: StoredTimer) {
    record.madeNs = min(record.madeNs, other.record.madeNs)
    ledger.add(other.ledger)
    lateness = StoredMetric(merging: [lateness, other.lateness].compactMap(\.self))
    for drop in other.drops {
      if let place = drops.firstIndex(where: { $0.mode == drop.mode }) {
        drops[place].count = drops[place].count.saturatingAdd(drop.count)
      } else {
        drops.append(drop)
      }
    }
    drops.sort { ($1.count, $0.mode) < ($0.count, $1.mode) }
    stalls.merge(other.stalls)
  }
}

extension TimerDelta {
  /// Sums two timers' ledgers. The sum has ended when both have.
  fileprivate mutating func add(_ other: TimerDelta) {
    fired = fired.saturatingAdd(other.fired)
    dropped = dropped.saturatingAdd(other.dropped)
    droppedOutside = droppedOutside.saturatingAdd(other.droppedOutside)
    coalesced = coalesced.saturatingAdd(other.coalesced)
    rearmed = rearmed.saturatingAdd(other.rearmed)
    intervalChanges = intervalChanges.saturatingAdd(other.intervalChanges)
    calloutTotal = calloutTotal.saturatingAdd(other.calloutTotal)
    calloutMaximum = max(calloutMaximum, other.calloutMaximum)
    if let found = other.worst, found.lateness > worst?.lateness ?? 0 { worst = found }
    if let ended = endedNs, let otherEnded = other.endedNs { endedNs = max(ended, otherEnded) } else { endedNs = nil }
  }
}
