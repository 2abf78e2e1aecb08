import StallwatchFormats
import StallwatchReport

extension FleetJudgement {
  /// The judgement as a document.
  package var document: FleetDocument {
    let broken = verdicts.filter { !$0.isKept }
    let name = "Release \(DisplayText.name(release)) of \(DisplayText.name(service))"
    var table = Table(columns: [.word("limit"), .word("kept"), .word("bound"), .figure("value"), .longName("look at")])
    for verdict in verdicts {
      table.rows.append([
        Table.Cell(verdict.key), Table.Cell(verdict.isKept ? "yes" : "no", tone: verdict.isKept ? .plain : .alarm),
        Table.Cell(verdict.limit), Table.Cell(verdict.value), Table.Cell(verdict.look),
      ])
    }
    return FleetDocument(
      title: "Stallwatch fleet: release \(release)",
      verdict: broken.isEmpty
        ? "\(name) keeps all \(Figure.count(verdicts.count, "limit"))."
        : "\(name) breaks \(Figure.list(broken.map(\.key))).",
      mood: broken.isEmpty ? .good : .bad, sections: [ReportSection(title: "Limits", table: table)], flame: nil,
      command: "check", json: write)
  }

  private func write(to writer: inout JSONWriter) throws {
    try writer.field("service", service)
    try writer.field("release", release)
    try writer.field("kept", isKept)
    try writer.list("limits", verdicts) { writer, verdict in
      try writer.object(inline: true) { writer in
        try writer.field("key", verdict.key)
        try writer.field("kept", verdict.isKept)
        try writer.field("limit", verdict.limit)
        try writer.field("value", verdict.value)
        try writer.field("look", verdict.look)
      }
    }
  }
}
