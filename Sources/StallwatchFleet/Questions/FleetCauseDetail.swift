import StallwatchCore
import StallwatchReport

/// One cause of a fleet: where it is, what it does, and stalls to look at.
package struct FleetCauseDetail: Sendable {
  /// Its stalls in a release or on an instance.
  package struct Part: Sendable {
    package var name: String
    package var instances: Int
    package var ofInstances: Int
    package var stalls: FleetSums.Stalls
    /// Stalls per hour of watched time; nil without.
    package var rate: Double?
  }

  package let item: FleetCauses.Item
  package let filter: FleetFilter
  package let source: String
  package let service: String
  package let releases: [Part]
  /// Those with the most stalls.
  package let instances: [Part]
  package let stacks: [FleetStack]
  package let examples: [FleetStall]

  private static let mostInstances = 20
  private static let mostExamples = 10

  /// The cause that `name` names: its key, the key of a part of it, or its title. Nil where there is none. Throws what the
  /// source throws.
  package init?(_ name: String, of fleet: Fleet, in source: some FleetSource) throws {
    let causes = FleetCauses(fleet)
    guard
      let item = causes.items.first(where: {
        $0.cause.keys.contains(name) || $0.cause.title == name
      })
    else { return nil }
    (self.item, filter, self.source, service) = (item, fleet.filter, fleet.source, causes.service)
    let hours = { (isIncluded: (FleetUnit) -> Bool) in
      Double(fleet.sums.lanes.filter { isIncluded($0.key.unit) }.values.map(\.watched).saturatingSum()) / 3_600e9
    }
    let part = { (name: String, isIncluded: (FleetUnit) -> Bool) in
      let (stalls, hours) = (item.cause.stalls(isIncluded), hours(isIncluded))
      return Part(
        name: name, instances: item.cause.instances(isIncluded),
        ofInstances: Set(fleet.units.filter(isIncluded).map(\.instance)).count, stalls: stalls,
        rate: hours > 0 ? Double(stalls.count) / hours : nil)
    }
    releases = fleet.releases.map { release in part(release) { $0.release == release } }
    let counts = Dictionary(grouping: item.cause.units, by: \.key.instance)
      .mapValues { $0.reduce(UInt64(0)) { $0.saturatingAdd($1.value.count) } }
    instances = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostInstances)
      .map { name, _ in part(name) { $0.instance == name } }
    stacks = try source.stacks(fleet.filter, of: item.cause.keys)
    examples = try source.examples(fleet.filter, of: item.cause.keys, limit: Self.mostExamples)
  }
}
