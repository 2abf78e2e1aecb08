import StallwatchCore
import StallwatchReport

/// Words that answers about fleets share.
enum FleetWords {
  /// `4.2 (3.9 to 4.5)`; without an interval the value alone.
  static func estimate(_ estimate: RatioEstimate?) -> String {
    guard let estimate else { return Figure.unknown }
    guard let low = estimate.low, let high = estimate.high else { return Figure.rate(estimate.value) }
    return "\(Figure.rate(estimate.value)) (\(Figure.rate(low)) to \(Figure.rate(high)))"
  }

  /// A name as tables show it; what has none is shown as such.
  static func name(_ name: String) -> String { name.isEmpty ? "none" : DisplayText.name(name) }

  /// `2026-05-01 10:00 UTC` for an hour, counted from 1970.
  static func hour(_ hour: UInt64) -> String {
    String(Timestamp.readable(hour.saturatingMultiply(by: HourGrid.length)).dropLast(":00 UTC".count)) + " UTC"
  }

  /// A moment, to the minute.
  static func moment(_ nanoseconds: UInt64) -> String {
    nanoseconds == .max ? Figure.unknown : String(Timestamp.readable(nanoseconds).dropLast(":00 UTC".count))
  }

  /// What was asked about, where that is not everything.
  static func filter(_ filter: FleetFilter) -> String? {
    var parts: [String] = []
    if !filter.releases.isEmpty { parts.append("release \(Figure.list(filter.releases.map { DisplayText.name($0) }))") }
    if !filter.environments.isEmpty { parts.append("environment \(Figure.list(filter.environments.map(name)))") }
    if !filter.lanes.isEmpty { parts.append("lane \(Figure.list(filter.lanes.map { DisplayText.name($0) }))") }
    if let since = filter.since { parts.append("from \(hour(since)) on") }
    if let until = filter.until { parts.append("before \(hour(until))") }
    return parts.isEmpty ? nil : "Only \(parts.joined(separator: ", "))."
  }
}
