import StallwatchCore
import StallwatchReport

/// The causes of the stalls in a table.
enum CausesSection {
  private static let columns: [Table.Column] = [
    .figure("total"), .figure("stalls"), .figure("worst"), .figure("show"), .word("activity"),
  ]

  /// The `limit` causes with the most time, and the stalls of unknown cause; nil where there is no stall.
  static func section(_ report: Report, limit: Int) -> ReportSection? {
    let (signatures, rest) = (report.stalls.signatures, report.stalls.unattributed)
    guard !signatures.isEmpty || rest.count > 0 else { return nil }
    let sentences = CauseSentences(signatures)
    var table = Table(columns: columns, sentenceTitle: "cause")
    for signature in signatures.prefix(limit) {
      table.rows.append([
        Table.Cell(Figure.duration(signature.total)), Table.Cell(Figure.count(signature.count)),
        Table.Cell(Figure.duration(signature.worst), tone: SeverityTone.tone(Severity(duration: signature.worst))),
        "\(signature.worstStall)", Table.Cell(CauseWords.short(signature.cause)),
      ])
      table.sentences.append(sentences.sentence(signature))
    }
    if rest.count > 0 {
      table.rows.append([Table.Cell(Figure.duration(rest.total)), Table.Cell(Figure.count(rest.count)), "", "", ""])
      table.sentences.append(CauseWords.unattributed(rest))
    }
    var notes: [String] = []
    let left = Array(signatures.dropFirst(limit))
    if !left.isEmpty {
      notes.append(
        "and \(Figure.count(left.count, "more cause")), \(Figure.duration(left.map(\.total).saturatingSum())) in all.")
    }
    if !signatures.isEmpty {
      notes.append("'stallwatch show FILE ID' shows a stall in detail; the 'show' column gives the worst stall's ID.")
    }
    return ReportSection(title: "Causes, most time first", table: table, notes: notes + report.symbolNotes.map(\.text))
  }
}
