import StallwatchCore
import StallwatchReport

/// The signatures of the stalls in a table.
enum SignaturesSection {
  private static let columns: [Table.Column] = [
    .figure("stalls"), .figure("total"), .figure("worst"), .figure("show"), .word("cause"), .name("what held the loop"),
  ]

  /// The `limit` signatures with the most time; nil where no stall was sampled.
  static func section(_ report: Report, limit: Int) -> ReportSection? {
    let signatures = report.stalls.signatures
    guard !signatures.isEmpty else { return nil }
    let titles = CauseTitles(signatures.map(\.signature))
    var table = Table(columns: columns)
    for signature in signatures.prefix(limit) {
      table.rows.append([
        Table.Cell(Figure.count(signature.count)), Table.Cell(Figure.duration(signature.total)),
        Table.Cell(Figure.duration(signature.worst), tone: SeverityTone.tone(Severity(duration: signature.worst))),
        "\(signature.worstStall)", Table.Cell(CauseWords.short(signature.cause)),
        Table.Cell(DisplayText.name(titles.title(signature.signature))),
      ])
    }
    let rest = signatures.count - table.rows.count
    var notes = ["'stallwatch show FILE ID' shows a stall in detail; the 'show' column gives the worst stall's ID."]
    if rest > 0 { notes.insert("and \(Figure.count(rest, "more cause")).", at: 0) }
    return ReportSection(title: "Causes, most time first", table: table, notes: notes + report.symbolNotes.map(\.text))
  }
}
