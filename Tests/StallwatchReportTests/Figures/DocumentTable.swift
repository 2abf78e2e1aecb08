@testable import StallwatchReport

/// The rows that the catalogue has in the documents' tables.
enum DocumentTable {
  private static func quoted(_ keys: [String]) -> String { keys.map { "`\($0)`" }.joined(separator: ", ") }

  /// The rows of a table of JSON keys: key and value. Keys inside an object share its row.
  static func jsonRows<Subject, Stored>(_ measures: [Measure<Subject, Stored>]) -> [String] {
    var rows: [String] = []
    var rest = measures.filter { $0.json != nil }[...]
    while let first = rest.first, let place = first.json {
      guard let group = place.group else {
        rows.append("| `\(place.key)` | \(first.isDistribution ? "distribution: " : "")\(first.words) |")
        rest.removeFirst()
        continue
      }
      let members = rest.prefix { $0.json?.group == group }
      let parts = members.map { "`\($0.json?.key ?? "")` (\($0.words))" }.joined(separator: ", ")
      let keys = place.isBrief ? "; each with \(quoted(["count", "total_ns"] + Quantile.brief.map(\.key)))" : ""
      rows.append("| `\(group)` | object: \(parts)\(keys) |")
      rest.removeFirst(members.count)
    }
    return rows
  }

  /// The rows of the table of budget keys: table, key and meaning. The first row names the table.
  static func budgetRows<Subject, Stored>(_ table: String, _ measures: [Measure<Subject, Stored>]) -> [String] {
    let quantiles = quoted(Quantile.allCases.map(\.key))
    return measures.filter { $0.limit != nil }.enumerated().map { place, measure in
      let name = place == 0 ? "`\(table)` " : ""
      guard measure.isDistribution, let limit = measure.limit else {
        return "| \(name)| `\(measure.limit ?? "")` | \(measure.words) |"
      }
      return limit.isEmpty
        ? "| \(name)| \(quantiles) | \(measure.words) |"
        : "| \(name)| `\(limit)` | a table with \(quantiles): \(measure.words) |"
    }
  }

  /// `document` with `rows` in place of those rows of the section under `heading` that `isOwn` accepts.
  static func rewritten(
    _ document: String, heading: String, rows: [String], where isOwn: (String) -> Bool
  ) -> String {
    var (lines, isInside, isWritten) = ([String](), false, false)
    for line in document.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("#") { isInside = line == heading }
      guard isInside, line.hasPrefix("| "), isOwn(line) else {
        lines.append(line)
        continue
      }
      if !isWritten { lines += rows }
      isWritten = true
    }
    return lines.joined(separator: "\n")
  }

  /// `document` with the catalogue's rows in the table of JSON keys under `heading`.
  static func rewritten<Subject, Stored>(
    _ document: String, heading: String, _ measures: [Measure<Subject, Stored>]
  ) -> String {
    let known = Set(measures.compactMap { $0.json?.group ?? $0.json?.key })
    return rewritten(document, heading: heading, rows: jsonRows(measures)) { line in
      let keys = words(line.split(separator: "|").first.map(String.init) ?? "")
      return !keys.isEmpty && known.isSuperset(of: keys)
    }
  }

  private static func words(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }
}
