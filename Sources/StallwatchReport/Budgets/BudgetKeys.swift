/// The keys that a budget may have, by kind of table.
enum BudgetKeys {
  static let percentiles = ["p50", "p90", "p99", "p999", "max"]
  private static let phases = ["prepare", "sources", "waiting", "service"]

  private static func distributions(_ names: [String]) -> [(String, BudgetLimit.Unit)] {
    names.flatMap { name in percentiles.map { ("\(name).\($0)", .duration) } }
  }

  /// Keys of `[stalls]`. A severity counts the stalls of that severity or worse.
  static let stalls: [(String, BudgetLimit.Unit)] = [
    ("count", .count), ("microhang", .count), ("hang", .count), ("severe", .count), ("fatal", .count),
    ("congestion", .count), ("away", .count), ("total", .duration), ("worst", .duration), ("hang_rate", .rate),
    ("jank", .rate),
  ]
  /// Keys of `[loop.NAME]`.
  static let loop: [(String, BudgetLimit.Unit)] =
    [("stalls", .count), ("hang_rate", .rate), ("jank", .rate), ("utilization", .share)]
    + distributions(["span", "gap"] + phases)
  /// Keys of `[loop.NAME.mode.MODE]`.
  static let mode: [(String, BudgetLimit.Unit)] =
    [("jank", .rate), ("utilization", .share), ("starved", .duration)] + distributions(["span"] + phases)
  /// Keys of `[timer.NAME]`.
  static let timer: [(String, BudgetLimit.Unit)] =
    [("dropped", .count), ("dropped_share", .share)] + distributions(["lateness"])
  /// Keys of `[drift]`.
  static let drift: [(String, BudgetLimit.Unit)] =
    percentiles.map { ($0, .duration) } + [("dropped", .count)] + distributions(["run_loop", "gcd"])
  /// Keys of `[health]`.
  static let health: [(String, BudgetLimit.Unit)] = [
    ("losses", .count), ("blind", .duration), ("blind_share", .share), ("excluded", .duration),
    ("monitor_share", .share),
  ]
  /// Tables without limits of their own.
  static let others = ["allow", "base"]

  /// Every key, with `NAME` and `MODE` where the program chooses the name; the documentation lists these.
  static var all: [String] {
    let prefixed = { (prefix: String, keys: [(String, BudgetLimit.Unit)]) in keys.map { prefix + $0.0 } }
    return prefixed("stalls.", stalls) + prefixed("loop.NAME.", loop) + prefixed("loop.NAME.mode.MODE.", mode)
      + prefixed("timer.NAME.", timer) + prefixed("drift.", drift) + prefixed("health.", health)
      + ["allow.signature", "allow.owner", "allow.until", "base.store", "base.confidence"]
  }

  /// The keys of `known` closest to `key` in spelling, two at most.
  static func nearest(to key: String, among known: [String]) -> [String] {
    let near = known.map { (key: $0, distance: distance(key, $0)) }
      .filter { $0.distance <= max(2, key.count / 3) }.sorted { ($0.distance, $0.key) < ($1.distance, $1.key) }
    return near.prefix(2).map(\.key)
  }

  /// The edit distance: letters to change, insert or delete. Compares the first 64 letters (Levenshtein, "Binary codes
  /// capable of correcting deletions, insertions, and reversals", 1966).
  private static func distance(_ one: String, _ other: String) -> Int {
    let letters = Array(other.prefix(64))
    var row = Array(0...letters.count)
    for (place, letter) in one.prefix(64).enumerated() {
      var (diagonal, left) = (row[0], place + 1)
      row[0] = left
      for (column, candidate) in letters.enumerated() {
        let best = min(row[column + 1] + 1, left + 1, diagonal + (letter == candidate ? 0 : 1))
        (diagonal, left) = (row[column + 1], best)
        row[column + 1] = best
      }
    }
    return row[letters.count]
  }
}
