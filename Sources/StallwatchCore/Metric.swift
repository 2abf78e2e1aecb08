/// A duration for which every mode of a loop has a histogram.
///
/// The first four are the phases, with the same raw values as ``Phase``.
package enum Metric: UInt8, CaseIterable, Sendable {
  /// The phase `prepare`.
  case prepare = 0
  /// The phase `sources`.
  case sources = 1
  /// The phase `waiting`.
  case waiting = 2
  /// The phase `service`.
  case service = 3
  /// The time between two heartbeats in which the loop does not wait, without nested runs.
  case span = 4
  /// `beforeSources` → `afterWaiting`: `sources` plus `waiting` of an iteration that waited.
  case gap = 5

  /// The number of metrics of a mode.
  package static let count = 6

  /// The metric with the raw value of `phase`.
  package init(_ phase: Phase) { self = Metric(rawValue: phase.rawValue)! }

  /// The name used in the store and in JSON.
  package var name: String {
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
