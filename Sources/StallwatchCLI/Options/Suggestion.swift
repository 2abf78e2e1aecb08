/// What somebody who mistyped a word most likely meant.
enum Suggestion {
  /// A question to add to a message, with a leading space: ` Did you mean 'report'?`. Empty where no known word is
  /// near.
  static func question(for word: String, among known: some Sequence<String>) -> String {
    let near = known.map { (word: $0, edits: edits(from: word, to: $0)) }.min { $0.edits < $1.edits }
    // A third of a word may be wrong; of a short one a letter.
    guard let near, near.edits <= max(1, near.word.count / 3) else { return "" }
    return " Did you mean '\(near.word)'?"
  }

  /// How many letters must be inserted, removed, replaced or swapped with the next one to make `second` of `first`.
  private static func edits(from first: String, to second: String) -> Int {
    let (first, second) = (Array(first), Array(second))
    var rows = [Array(0...second.count)]
    for i in first.indices {
      var row = [i + 1]
      for j in second.indices {
        let replaced = rows[i][j] + (first[i] == second[j] ? 0 : 1)
        var least = min(replaced, rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}
