/// What stands for `{name:Type}` in the questions to a server.
struct FleetParameters: Sendable {
  private(set) var values: [String: SQLValue]

  init(_ filter: FleetFilter, signatures: Set<String> = [], stacks: [UInt64] = []) {
    values = [
      "service": .text(filter.service ?? ""), "releases": .texts(filter.releases),
      "environments": .texts(filter.environments), "lanes": .texts(filter.lanes),
      // In seconds since 1970.
      "since": .unsigned(UInt64(UInt32(startOfHour: filter.since ?? 0))),
      "until": .unsigned(UInt64(UInt32(startOfHour: filter.until ?? .max))),
      "signatures": .texts(signatures.sorted()), "stacks": .unsigneds(stacks),
    ]
  }

  /// With the lanes that count.
  func counting(_ lanes: CountedLanes) -> FleetParameters {
    var parameters = self
    parameters.values["item_kinds"] = .texts(CountedLanes.itemKinds)
    parameters.values["only_main"] = .unsigned(lanes.onlyMain ? 1 : 0)
    parameters.values["least_watched"] = .unsigned(FleetSummary.leastUse)
    parameters.values["limit"] = .unsigned(UInt64(FleetSummary.mostWorst))
    return parameters
  }

  /// With each cause's number, from 1, for each of its signatures.
  func numbering(_ causes: [MergedSignatures.Cause]) -> FleetParameters {
    var parameters = self
    let numbered = causes.enumerated().flatMap { place, cause in cause.keys.map { (key: $0, number: UInt64(place + 1)) }
    }
    parameters.values["signatures"] = .texts(numbered.map(\.key))
    parameters.values["numbers"] = .unsigneds(numbered.map(\.number))
    return parameters
  }
}
