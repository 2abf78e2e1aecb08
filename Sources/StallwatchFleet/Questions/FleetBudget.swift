import StallwatchCore
import StallwatchReport

/// What a release must keep, from a file in TOML: a gate for CI.
package struct FleetBudget: Sendable, Equatable {
  /// A limit: its key in the file, and the bound.
  package enum Limit: Sendable, Equatable {
    /// Seconds of hangs per hour of use, at most.
    case hangRate(Double)
    /// Hangs per hour of use, at most.
    case hangs(Double)
    /// A percentile of spans of a lane, at most.
    case span(lane: String, percent: Double, Nanoseconds)
    /// The share of instances that a new cause may hit.
    case newCauses(Double)
    /// The same for causes that came back.
    case regressedCauses(Double)
    /// Hours of use, at least: of less, nothing is known.
    case leastUse(Double)
    /// Instances, at least.
    case leastInstances(Double)
  }

  /// The limits with their keys, in the order of these.
  package private(set) var limits: [(key: String, limit: Limit)] = []

  package static func == (left: FleetBudget, right: FleetBudget) -> Bool {
    left.limits.map(\.key) == right.limits.map(\.key) && left.limits.map(\.limit) == right.limits.map(\.limit)
  }

  private static let percents: [String: Double] = ["p50": 50, "p90": 90, "p99": 99, "p999": 99.9]

  /// Reads a file's top table. Throws ``BudgetError``.
  package init(_ file: BudgetValue) throws(BudgetError) {
    for (name, value) in try Self.table(file, "the file") {
      switch name {
      case "release": try addRelease(value)
      case "causes": try addCauses(value)
      case "lane":
        for (lane, value) in try Self.table(value, "lane") { try add(lane: lane, value) }
      default:
        throw .unknownKey(name, nearest: BudgetKeys.nearest(to: name, among: ["release", "causes", "lane"]))
      }
    }
    if limits.isEmpty { throw .empty }
    limits.sort { $0.key < $1.key }
  }

  private mutating func addRelease(_ value: BudgetValue) throws(BudgetError) {
    for (name, value) in try Self.table(value, "release") {
      let (key, bound) = (
        "release.\(name)",
        { (limit: (Double) -> Limit) throws(BudgetError) in
          limit(try Self.number(value, "release.\(name)", 0...Double.greatestFiniteMagnitude, "a number, 0 or more"))
        }
      )
      switch name {
      case "hang_rate": limits.append((key, try bound { .hangRate($0) }))
      case "hangs": limits.append((key, try bound { .hangs($0) }))
      case "least_hours": limits.append((key, try bound { .leastUse($0) }))
      case "least_instances": limits.append((key, try bound { .leastInstances($0) }))
      default:
        let known = ["hang_rate", "hangs", "least_hours", "least_instances"]
        throw .unknownKey(key, nearest: BudgetKeys.nearest(to: name, among: known))
      }
    }
  }

  private mutating func addCauses(_ value: BudgetValue) throws(BudgetError) {
    for (name, value) in try Self.table(value, "causes") {
      let key = "causes.\(name)"
      let share = { () throws(BudgetError) in try Self.number(value, key, 0...1, "a share of instances from 0 to 1") }
      switch name {
      case "new": limits.append((key, .newCauses(try share())))
      case "regressed": limits.append((key, .regressedCauses(try share())))
      default: throw .unknownKey(key, nearest: BudgetKeys.nearest(to: name, among: ["new", "regressed"]))
      }
    }
  }

  private mutating func add(lane: String, _ value: BudgetValue) throws(BudgetError) {
    for (name, value) in try Self.table(value, "lane.\(lane)") {
      guard name == "span" else {
        throw .unknownKey("lane.\(lane).\(name)", nearest: ["span"])
      }
      for (percentile, value) in try Self.table(value, "lane.\(lane).span") {
        let key = "lane.\(lane).span.\(percentile)"
        guard let percent = Self.percents[percentile] else {
          throw .unknownKey(key, nearest: BudgetKeys.nearest(to: percentile, among: Self.percents.keys.sorted()))
        }
        guard case .text(let text) = value, let duration = DurationNotation.parse(text) else {
          throw .badValue(key, expected: "a duration such as \"8ms\"")
        }
        limits.append((key, .span(lane: lane, percent: percent, duration)))
      }
    }
  }

  private static func table(_ value: BudgetValue, _ key: String) throws(BudgetError) -> [(String, BudgetValue)] {
    guard case .table(let table) = value else { throw .badValue(key, expected: "a table: [\(key)]") }
    return table.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func number(
    _ value: BudgetValue, _ key: String, _ range: ClosedRange<Double>, _ expected: String
  ) throws(BudgetError) -> Double {
    guard case .number(let number) = value, range.contains(number) else { throw .badValue(key, expected: expected) }
    return number
  }
}
