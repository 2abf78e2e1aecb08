import StallwatchCore
import StallwatchStore

/// A place in a JSON report.
package struct JSONPlace: Sendable {
  /// The object inside the subject's that holds the key; nil for the subject's own.
  package var group: String?
  package var key: String
  /// Whether a distribution has only the brief quantiles, after `count` and `total_ns`.
  package var isBrief = false
}

/// A column of a text table.
package struct MeasureColumn: Sendable {
  package var title: String
  /// The place among the subject's columns; those without one follow in the order of declaration.
  package var place: Int
  /// The quantiles of a distribution that have columns.
  package var quantiles: [Quantile]
  /// When a column is left out where room is short: 1 first; nil never. For a distribution one for each quantile.
  package var leaves: [Int?]
}

/// What is pooled over several recordings.
package enum Tally: Sendable {
  case distribution(StoredMetric)
  case share(part: UInt64, whole: UInt64)

  /// Both together; this one where they are of different kinds.
  func pooled(with other: Tally) -> Tally {
    switch (self, other) {
    case (.distribution(let one), .distribution(let other)):
      StoredMetric(merging: [one, other]).map { .distribution($0) } ?? self
    case (.share(let part, let whole), .share(let otherPart, let otherWhole)):
      .share(part: part.saturatingAdd(otherPart), whole: whole.saturatingAdd(otherWhole))
    default: self
    }
  }
}

extension Measure {
  /// Whether it has a value for each quantile.
  package var isDistribution: Bool {
    if case .distribution = reading { true } else { false }
  }

  /// The value for `subject`, at `quantile` where it is a distribution; nil for unknown.
  package func value(of subject: Subject, at quantile: Quantile = .maximum) -> MeasureValue? {
    switch reading {
    case .single(let value): value(subject)
    case .distribution(let summary): summary(subject)?[quantile]
    }
  }

  /// The whole distribution for `subject`; nil where it is unknown or the measure is a single value.
  package func summary(of subject: Subject) -> Summary<MeasureValue>? {
    if case .distribution(let summary) = reading { summary(subject) } else { nil }
  }

  /// The keys under which a budget limits it, for a distribution one for each quantile.
  package var limits: [(key: String, quantile: Quantile)] {
    guard let limit else { return [] }
    guard isDistribution else { return [(limit, .maximum)] }
    return Quantile.allCases.map { (limit.isEmpty ? $0.key : "\(limit).\($0.key)", $0) }
  }
}

extension Array {
  /// The keys of budgets for these measures, with their units.
  func limits<Subject, Stored>() -> [BudgetKeys.Key] where Element == Measure<Subject, Stored> {
    flatMap { measure in measure.limits.map { ($0.key, measure.unit) } }
  }

  /// The value that a budget limits under `key`; nil for unknown.
  func value<Subject, Stored>(_ key: String, of subject: Subject) -> Double?
  where Element == Measure<Subject, Stored> {
    for measure in self {
      if let limit = measure.limits.first(where: { $0.key == key }) {
        return measure.value(of: subject, at: limit.quantile)?.number
      }
    }
    return nil
  }

  /// The measures with columns in text tables, in the columns' order.
  package func columns<Subject, Stored>() -> [(measure: Element, column: MeasureColumn)]
  where Element == Measure<Subject, Stored> {
    let shown = compactMap { measure in measure.column.map { (measure: measure, column: $0) } }
    return shown.enumerated().sorted { ($0.element.column.place, $0.offset) < ($1.element.column.place, $1.offset) }
      .map(\.element)
  }
}
