/// The keys that a budget may have.
package enum BudgetKeys {
  /// A key inside its table, with the unit of its limit.
  typealias Key = (key: String, unit: MeasureUnit)

  /// Tables without limits of their own.
  static let others = ["allow", "base"]

  /// The keys of `known` closest to `key` in spelling, two at most.
  package static func nearest(to key: String, among known: [String]) -> [String] {
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
