import StallwatchCore

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
    package var sessions: FleetSummary.Sessions
    /// Stalls without a cause, of all stalls.
    package var unattributed: UInt64
    package var stalls: UInt64
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
  package let worst: [FleetSummary.Instance]
  package let missing: Missing

  /// The report on a fleet.
  package init(_ fleet: FleetSummary) {
    (filter, source, service) = (fleet.filter, fleet.source, fleet.filter.service ?? "")
    lanes = fleet.countedLanes
    total = Group(.all, "all", of: fleet)
    releases = fleet.releases.map { Group(.release($0), $0, of: fleet) }
    environments = Set(fleet.lanes.keys.map(\.environment)).sorted().map { Group(.environment($0), $0, of: fleet) }
      .filter { $0.instances > 0 }
    byLane = Set(fleet.lanes.keys.map(\.name)).map { Group(.lane($0), $0, of: fleet) }
      .sorted { ($1.activity.stalled, $0.name) < ($0.activity.stalled, $1.name) }
    causes = FleetCauses(fleet).items
    worst = fleet.worst
    missing = Missing(fleet)
    let (first, last) = (total.activity.first, total.activity.last)
    hours = first <= last ? first...last : nil
  }
}

extension FleetReport.Group {
  /// A part of a fleet.
  init(_ part: FleetSummary.Part, _ name: String, of fleet: FleetSummary) {
    let spread = fleet.spreads[part] ?? .init()
    let counted = fleet.counted
    let activity = fleet.activity { lanes in
      switch part {
      case .fleet: true
      case .lane(let name): lanes.name == name
      case .all: counted.contains(kind: lanes.kind, isMain: lanes.isMain)
      case .release(let release):
        lanes.release == release && counted.contains(kind: lanes.kind, isMain: lanes.isMain)
      case .environment(let environment):
        lanes.environment == environment && counted.contains(kind: lanes.kind, isMain: lanes.isMain)
      }
    }
    self.init(
      name: name, instances: spread.instances, activity: activity, hangRate: spread.hangRate, hangs: spread.hangs)
  }
}

extension FleetSummary.Instance {
  /// The time for which it was watched, in hours.
  package var hours: Double { Double(watched) / 3_600e9 }
  /// Seconds of hangs per hour of use.
  package var hangRate: RatioEstimate? { RatioEstimate(part: Double(hang) / 1e9, whole: hours, count: 1, squares: 0) }
}

extension FleetReport.Missing {
  init(_ fleet: FleetSummary) {
    let all = fleet.activity { _ in true }
    self.init(sessions: fleet.sessions, unattributed: all.unattributed, stalls: all.stalls)
  }
}
