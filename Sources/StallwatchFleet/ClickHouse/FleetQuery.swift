/// The questions that a fleet's tables are asked, each a file of `Queries/` whose head says what it answers. Of the rows
/// with one sorting key they count the latest.
///
/// All but ``names`` take `service`; all that go by time take `since` and `until` in seconds since 1970, and `releases`,
/// `environments` and `lanes`, of which empty lists let everything through. ``spreads`` and ``worst`` count the lanes
/// that are not of `item_kinds`, and with `only_main` those of main threads alone; ``worst`` lists at most `limit`
/// instances, of those that were watched for `least_watched` nanoseconds. ``reach`` and ``hours`` take causes as
/// `signatures`, each with its cause's number in `numbers`.
package enum FleetQuery: String, CaseIterable, Sendable {
  case names
  case lanes, histograms, spreads, worst, causes, reach, hours, sessions, losses, signatures
  case unitLanes = "unit_lanes"
  case unitCauses = "unit_causes"
  case unitThresholds = "unit_thresholds"
  case stalls, durations, examples, stacks, frames, timers

  /// The query, with its parameters as `{name:Type}`.
  package var text: String {
    let bytes =
      switch self {
      case .names: PackageResources.names_sql
      case .lanes: PackageResources.lanes_sql
      case .causes: PackageResources.causes_sql
      case .histograms: PackageResources.histograms_sql
      case .spreads: PackageResources.spreads_sql
      case .worst: PackageResources.worst_sql
      case .reach: PackageResources.reach_sql
      case .hours: PackageResources.hours_sql
      case .unitLanes: PackageResources.unit_lanes_sql
      case .unitCauses: PackageResources.unit_causes_sql
      case .unitThresholds: PackageResources.unit_thresholds_sql
      case .sessions: PackageResources.sessions_sql
      case .losses: PackageResources.losses_sql
      case .signatures: PackageResources.signatures_sql
      case .stalls: PackageResources.stalls_sql
      case .durations: PackageResources.durations_sql
      case .examples: PackageResources.examples_sql
      case .stacks: PackageResources.stacks_sql
      case .frames: PackageResources.frames_sql
      case .timers: PackageResources.timers_sql
      }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The parameters that the text has.
  var parameters: Set<String> {
    Set(text.split(separator: "{").dropFirst().compactMap { $0.split(separator: ":").first.map(String.init) })
  }
}

extension ClickHouseClient {
  /// Asks a question and folds its rows into `initial`, as ``select(_:parameters:inDatabase:into:_:)`` does.
  package func answer<Value: Sendable>(
    _ query: FleetQuery, _ parameters: [String: SQLValue], into initial: Value,
    _ fold: @escaping @Sendable (inout Value, ClickHouseRow) throws -> Void
  ) async throws -> Value {
    try await select(query.text, parameters: parameters, into: initial, fold)
  }
}
