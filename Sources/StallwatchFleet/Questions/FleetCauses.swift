import StallwatchCore
import StallwatchLibc

/// The causes of a fleet's stalls, and how each of them stands.
package struct FleetCauses: Sendable {
  /// How a cause stands, by the releases that have it. A release counts as one without it only where it would be seen: with
  /// the rate of the releases that have it, at least ``fewestExpected`` stalls.
  package enum State: String, Sendable, CaseIterable {
    /// Only the newest release has it.
    case new
    /// The newest release has it again, after one without it.
    case regressed
    /// The newest release is without it.
    case gone
    /// All else.
    case known
  }

  package struct Item: Sendable {
    package var cause: FleetSummary.Cause
    package var state: State
    package var stalls: FleetSums.Stalls
    /// The share of all instances that have it.
    package var share: Double
    /// The releases that have it, in the order in which they were first seen.
    package var releases: [String]
  }

  package let filter: FleetFilter
  package let source: String
  package let service: String
  package let releases: [String]
  package let instances: Int
  package let items: [Item]

  /// How many stalls must be expected for their absence to say something: of 3, chance leaves out all once in 20 times.
  package static let fewestExpected = 3.0

  /// The causes of a fleet. States are those of the release in place `newest` of the fleet's; nil for the last.
  package init(_ fleet: FleetSummary, until newest: Int? = nil) {
    (filter, source, service) = (fleet.filter, fleet.source, fleet.filter.service ?? "")
    let releases = fleet.releases
    let shown = min((newest ?? releases.count) + 1, releases.count)
    let all = fleet.spreads[.fleet]?.instances ?? 0
    let hours = releases.prefix(shown).map { release in
      Double(fleet.activity { $0.release == release }.watched) / 3_600e9
    }
    self.releases = releases
    instances = all
    items = fleet.causes.map { cause in
      let counts = releases.map { Double(cause.releases[$0]?.stalls.count ?? 0) }
      return Item(
        cause: cause, state: Self.state(Array(counts.prefix(shown)), hours: hours), stalls: cause.stalls,
        share: all > 0 ? Double(cause.instances) / Double(all) : 0,
        releases: zip(releases, counts).filter { $1 > 0 }.map(\.0))
    }
  }

  /// How a cause stands that had so many stalls in each release, oldest first, in so many hours of use.
  static func state(_ counts: [Double], hours: [Double]) -> State {
    guard counts.count > 1, let newest = counts.last else { return .known }
    let with = zip(counts, hours).filter { $0.0 > 0 }
    let rate = with.reduce(0) { $0 + $1.0 } / max(with.reduce(0) { $0 + $1.1 }, .leastNormalMagnitude)
    let isWithout = zip(counts, hours).map { count, hours in count == 0 && rate * hours >= fewestExpected }
    if newest == 0 { return isWithout[counts.count - 1] ? .gone : .known }
    let before = counts.dropLast()
    if before.allSatisfy({ $0 == 0 }) { return isWithout.contains(true) ? .new : .known }
    return isWithout[counts.count - 2] ? .regressed : .known
  }
}
