/// What of a fleet is asked about. Empty lists, and nil, let everything through.
package struct FleetFilter: Sendable, Equatable {
  package var service: String?
  package var releases: [String] = []
  package var environments: [String] = []
  /// Names of lanes.
  package var lanes: [String] = []
  /// The hours, counted from 1970: `since` is among them, `until` is not.
  package var since: UInt64?
  package var until: UInt64?

  /// Everything.
  package init() {}

  /// Whether rows of this origin may pass.
  func admits(_ origin: RowOrigin) -> Bool {
    (service.map { $0 == origin.service } ?? true) && (releases.isEmpty || releases.contains(origin.release))
      && (environments.isEmpty || environments.contains(origin.environment))
  }

  /// Whether an hour, counted from 1970, may pass.
  func admits(hour: UInt64) -> Bool { hour >= since ?? 0 && hour < until ?? .max }

  /// Whether a lane of this name may pass.
  func admits(lane: String) -> Bool { lanes.isEmpty || lanes.contains(lane) }
}
