import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The first look at a fleet: how much it hangs per hour of use, where, and because of what.
package struct FleetReport: Sendable {
  /// Sums of what has something in common.
  package struct Group: Sendable {
    package var name: String
    package var instances: Int
    /// By the lanes that count.
    package var activity: FleetSums.Activity
    /// Seconds of hangs per hour of use; nil without use.
    package var hangRate: RatioEstimate?
    /// Hangs per hour of use.
    package var hangs: RatioEstimate?

    /// The time for which it was watched, in hours.
    package var hours: Double { Double(activity.watched) / 3_600e9 }
    /// A percentile of its spans, 0…100; nil without spans.
    package func span(atPercentile percent: Double) -> Nanoseconds? {
      activity.spans.totalCount > 0 ? activity.spans.value(atPercentile: percent) : nil
    }
  }

  /// What is missing in the figures.
  package struct Missing: Sendable, Equatable {
    package var sessions: UInt64 = 0
    package var killed: UInt64 = 0
    package var duration: Nanoseconds = 0
    package var unobserved: Nanoseconds = 0
    package var excluded: Nanoseconds = 0
    /// Stalls without a cause, of all stalls.
    package var unattributed: UInt64 = 0
    package var stalls: UInt64 = 0
    package var losses: [String: UInt64] = [:]
  }

  package let filter: FleetFilter
  package let source: String
  package let service: String
  /// The names of the lanes that count, and the first and the last hour, counted from 1970; nil where nothing was watched.
  package let lanes: [String]
  package let hours: ClosedRange<UInt64>?
  package let total: Group
  package let releases: [Group]
  package let environments: [Group]
  /// All lanes by name, also those that do not count.
  package let byLane: [Group]
  package let causes: [FleetCauses.Item]
  /// The instances that hang most, by their hang rate.
  package let worst: [Group]
  package let missing: Missing

  /// The instances that are listed, and the least use of one, in hours: of less, a rate says nothing.
  private static let mostWorst = 10
  private static let leastUse = 0.5

  /// The report on a fleet.
  package init(_ fleet: Fleet) {
    (filter, source, service) = (fleet.filter, fleet.source, fleet.filter.service ?? "")
    lanes = fleet.countedLanes
    let exposures = fleet.exposures
    let group = { (name: String, isIncluded: (FleetUnit) -> Bool) in
      Self.group(name, exposures.filter { isIncluded($0.key) }.map { ($0.key, $0.value) })
    }
    total = group("all") { _ in true }
    releases = fleet.releases.map { release in group(release) { $0.release == release } }
    environments = Set(exposures.keys.map(\.environment)).sorted().map { name in group(name) { $0.environment == name }
    }
    byLane = Dictionary(grouping: fleet.sums.lanes, by: \.key.name).map { name, parts in
      Self.group(name, parts.map { ($0.key.unit, $0.value) })
    }.sorted { ($1.activity.stalled, $0.name) < ($0.activity.stalled, $1.name) }
    causes = FleetCauses(fleet).items
    let instances = Dictionary(grouping: exposures, by: \.key.instance).map { name, parts in
      Self.group(name, parts.map { ($0.key, $0.value) })
    }
    worst = Array(
      instances.filter { $0.hours >= Self.leastUse && $0.activity.hang > 0 }
        .sorted { ($1.hangRate?.value ?? 0, $0.name) < ($0.hangRate?.value ?? 0, $1.name) }.prefix(Self.mostWorst))
    missing = Self.missing(fleet)
    let (first, last) = (total.activity.first, total.activity.last)
    hours = first <= last ? first...last : nil
  }

  static func group(_ name: String, _ parts: [(unit: FleetUnit, activity: FleetSums.Activity)]) -> Group {
    var (all, instances) = (FleetSums.Activity(), [String: FleetSums.Activity]())
    // In order, so that the same figures give the same sums of fractions.
    for (unit, activity) in parts.sorted(by: { $0.unit < $1.unit }) {
      all.add(activity)
      var known = instances[unit.instance] ?? .init()
      known.watched = known.watched.saturatingAdd(activity.watched)
      known.hang = known.hang.saturatingAdd(activity.hang)
      known.hangs = known.hangs.saturatingAdd(activity.hangs)
      instances[unit.instance] = known
    }
    let ordered = instances.sorted { $0.key < $1.key }.map(\.value)
    return Group(
      name: name, instances: instances.count, activity: all,
      hangRate: RatioEstimate(ordered.map { (Double($0.hang) / 1e9, Double($0.watched) / 3_600e9) }),
      hangs: RatioEstimate(ordered.map { (Double($0.hangs), Double($0.watched) / 3_600e9) }))
  }

  private static func missing(_ fleet: Fleet) -> Missing {
    var missing = Missing()
    for sum in fleet.sums.sessions.values {
      missing.sessions += sum.count
      missing.killed += sum.killed
      missing.duration = missing.duration.saturatingAdd(sum.duration)
      missing.unobserved = missing.unobserved.saturatingAdd(sum.unobserved)
      missing.excluded = missing.excluded.saturatingAdd(sum.excluded)
      missing.losses.merge(sum.losses) { $0.saturatingAdd($1) }
    }
    for activity in fleet.sums.lanes.values {
      missing.unattributed = missing.unattributed.saturatingAdd(activity.unattributed)
      missing.stalls = missing.stalls.saturatingAdd(activity.stalls)
    }
    return missing
  }
}
