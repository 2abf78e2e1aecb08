import StallwatchCore

/// The lanes whose exposure and hangs count for instances, releases and environments: those of main threads where there
/// are any, otherwise all that are loops. Of the lanes that were asked for by name, all loops.
struct CountedLanes: Sendable, Equatable {
  /// Whether only those of main threads count.
  let onlyMain: Bool

  /// The kinds of lanes of which a long item is no stall, so that hangs per hour say nothing.
  static let itemKinds = LaneKind.allCases.filter(\.isOfItems).map(\.rawValue)

  /// The lanes that count among these of a fleet.
  init(among lanes: some Sequence<(kind: String, isMain: Bool)>, _ filter: FleetFilter) {
    onlyMain = filter.lanes.isEmpty && lanes.contains { $0.isMain && !Self.itemKinds.contains($0.kind) }
  }

  func contains(kind: String, isMain: Bool) -> Bool {
    !Self.itemKinds.contains(kind) && (isMain || !onlyMain)
  }
}
