import StallwatchCore
import StallwatchReport

/// A release held to a budget.
package struct FleetJudgement: Sendable {
  /// A limit with what it was held to.
  package struct Verdict: Sendable, Equatable {
    package var key: String
    package var isKept: Bool
    /// The limit and the value in words, and what to look at; empty for nothing.
    package var limit: String
    package var value: String
    package var look: String
  }

  package let service: String
  package let source: String
  package let release: String
  package let verdicts: [Verdict]

  /// Whether all limits hold.
  package var isKept: Bool { verdicts.allSatisfy(\.isKept) }

  /// Judges a release of a fleet, which also holds the releases before it: what is new shows beside these.
  package init(_ budget: FleetBudget, release: String, of fleet: FleetSummary) {
    (service, source, self.release) = (fleet.filter.service ?? "", fleet.source, release)
    let group = FleetReport.Group(.release(release), release, of: fleet)
    let place = fleet.releases.firstIndex(of: release) ?? fleet.releases.count
    let causes = FleetCauses(fleet, until: place)
    verdicts = budget.limits.map { key, limit in
      let (isKept, words) = Self.judge(limit, group, release, fleet, causes)
      return Verdict(key: key, isKept: isKept, limit: words.limit, value: words.value, look: words.look)
    }
  }

  private static func judge(
    _ limit: FleetBudget.Limit, _ group: FleetReport.Group, _ release: String, _ fleet: FleetSummary,
    _ causes: FleetCauses
  ) -> (isKept: Bool, words: (limit: String, value: String, look: String)) {
    switch limit {
    case .hangRate(let most):
      let value = group.hangRate?.value
      // What is not known is not kept.
      return (value.map { $0 <= most } ?? false, ("at most \(Figure.rate(most))", Figure.rate(value), ""))
    case .hangs(let most):
      let value = group.hangs?.value
      return (value.map { $0 <= most } ?? false, ("at most \(Figure.rate(most))", Figure.rate(value), ""))
    case .leastUse(let least):
      return (group.hours >= least, ("at least \(Figure.rate(least)) h", "\(Figure.rate(group.hours)) h", ""))
    case .leastInstances(let least):
      return (Double(group.instances) >= least, ("at least \(Figure.rate(least))", "\(group.instances)", ""))
    case .span(let lane, let percent, let most):
      let spans = fleet.activity { $0.name == lane && $0.release == release }.spans
      let value = spans.totalCount > 0 ? spans.value(atPercentile: percent) : nil
      return (
        value.map { $0 <= most } ?? false, ("at most \(Figure.duration(most))", Figure.duration(value), "")
      )
    case .newCauses(let most): return judge(.new, most, group.instances, release, causes)
    case .regressedCauses(let most): return judge(.regressed, most, group.instances, release, causes)
    }
  }

  private static func judge(
    _ state: FleetCauses.State, _ most: Double, _ instances: Int, _ release: String, _ causes: FleetCauses
  ) -> (isKept: Bool, words: (limit: String, value: String, look: String)) {
    let shares = causes.items.filter { $0.state == state }.map { item in
      (item: item, share: Double(item.cause.releases[release]?.instances ?? 0) / Double(max(instances, 1)))
    }
    let beyond = shares.filter { $0.share > most }.sorted { $1.share < $0.share }
    let value = shares.map(\.share).max().map { Figure.share($0) } ?? "none"
    let look = beyond.prefix(3).map { "\($0.item.cause.signature.sentence) (\(Figure.share($0.share)))" }
    return (
      beyond.isEmpty, ("at most \(Figure.share(most)) of instances", value, look.joined(separator: "; "))
    )
  }
}
