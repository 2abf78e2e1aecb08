import StallwatchCore

extension StallTotal {
  /// What a total is of.
  struct Sort: Hashable, Comparable {
    let loop: Int64
    let kind: StallKind
    let state: StallState
    let severity: Severity

    static func < (left: Sort, right: Sort) -> Bool {
      (left.loop, left.kind.rawValue, left.state.rawValue, left.severity)
        < (right.loop, right.kind.rawValue, right.state.rawValue, right.severity)
    }
  }

  var sort: Sort { Sort(loop: loop, kind: kind, state: state, severity: severity) }

  /// The same sort with no stall in it.
  var empty: StallTotal {
    StallTotal(loop: loop, kind: kind, state: state, severity: severity, count: 0, total: 0)
  }

  /// Takes in the stalls of another total of the same sort.
  mutating func add(_ other: StallTotal) {
    count += other.count
    total = total.saturatingAdd(other.total)
  }

  /// From loop, kind, state, severity, count and summed duration.
  init(_ columns: Row) throws(SQLiteFailure) {
    var row = columns
    self.init(
      loop: try row.number(), kind: try row.word(), state: try row.word(),
      severity: try row.word { name in Severity.allCases.first { $0.name == name } }, count: try row.number(),
      total: try row.number())
  }
}
