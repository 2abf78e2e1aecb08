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
  package init?(_ name: String, of summary: FleetSummary, in source: some FleetSource) throws {
    let causes = FleetCauses(summary)
    guard let item = causes.items.first(where: { $0.cause.keys.contains(name) || $0.cause.title == name }) else {
      return nil
    }
    (self.item, filter, self.source, service) = (item, summary.filter, summary.source, causes.service)
    let fleet = try Fleet(source, summary.filter, of: item.cause.keys)
    let hours = { (isIncluded: (FleetUnit) -> Bool) in
      Double(fleet.sums.lanes.filter { isIncluded($0.key.unit) }.values.map(\.watched).saturatingSum()) / 3_600e9
    }
    let part = { (name: String, isIncluded: (FleetUnit) -> Bool) in
      let units = fleet.causes.flatMap(\.units).filter { isIncluded($0.key) }
      let (stalls, hours) = (units.reduce(into: FleetSums.Stalls()) { $0.add($1.value) }, hours(isIncluded))
      return Part(
        name: name, instances: Set(units.map(\.key.instance)).count,
        ofInstances: Set(fleet.units.filter(isIncluded).map(\.instance)).count, stalls: stalls,
        rate: hours > 0 ? Double(stalls.count) / hours : nil)
    }
    releases = causes.releases.map { release in part(release) { $0.release == release } }
    let counts = Dictionary(grouping: fleet.causes.flatMap(\.units), by: \.key.instance)
      .mapValues { $0.reduce(UInt64(0)) { $0.saturatingAdd($1.value.count) } }
    instances = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostInstances)
      .map { name, _ in part(name) { $0.instance == name } }
    stacks = try source.stacks(summary.filter, of: item.cause.keys)
    examples = try source.examples(summary.filter, of: item.cause.keys, limit: Self.mostExamples)
  }
}
