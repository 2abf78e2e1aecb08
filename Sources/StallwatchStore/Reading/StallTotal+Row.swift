import StallwatchCore

extension StallTotal {
  /// The key of a total: what its stalls have in common.
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

  /// A total of the same sort without stalls.
  var empty: StallTotal {
    StallTotal(loop: loop, kind: kind, state: state, severity: severity, count: 0, total: 0)
  }

  /// Adds the stalls of another total of the same sort.
  mutating func add(_ other: StallTotal) {
    count = count.saturatingAdd(other.count)
    total = total.saturatingAdd(other.total)
  }

  /// Reads loop, kind, state, severity, count, least duration and the two halves of the sum.
  init(_ columns: Row) throws(SQLiteFailure) {
    var row = columns
    self.init(
      loop: try row.rowNumber(), kind: try row.word(), state: try row.word(),
      severity: try row.word { name in Severity.allCases.first { $0.name == name } }, count: try row.number(), total: 0)
    // All three are NULL where no stall has a duration.
    let least: Nanoseconds? = try row.numberIfAny()
    let (high, low): (UInt64?, UInt64?) = (try row.numberIfAny(), try row.numberIfAny())
    guard least != nil, let high, let low else { return }
    let (product, overflow) = high.multipliedReportingOverflow(by: 1 << 32)
    total = overflow ? .max : product.saturatingAdd(low)
  }
}
