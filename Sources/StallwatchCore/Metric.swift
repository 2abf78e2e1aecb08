/// The durations kept as a histogram for every mode of a loop.
///
/// The first four are the phases, with the same raw values as ``Phase``.
public enum Metric: UInt8, CaseIterable, Sendable {
  /// The phase `prepare`.
  case prepare = 0
  /// The phase `sources`.
  case sources = 1
  /// The phase `waiting`.
  case waiting = 2
  /// The phase `service`.
  case service = 3
  /// Between two heartbeats in which the loop does not wait, without nested runs.
  case span = 4
  /// `beforeSources` → `afterWaiting`: `sources` plus `waiting` of an iteration that waited.
  case gap = 5

  /// How many metrics a mode has.
  public static let count = 6

  /// The metric of a phase.
  public init(_ phase: Phase) { self = Metric(rawValue: phase.rawValue)! }

  /// The name used in the store and in JSON.
  public var name: String {
    switch self {
    case .prepare: "prepare"
    case .sources: "sources"
    case .waiting: "waiting"
    case .service: "service"
    case .span: "span"
    case .gap: "gap"
    }
  }
}
