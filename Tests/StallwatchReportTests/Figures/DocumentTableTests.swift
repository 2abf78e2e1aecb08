import Foundation
import TestPrograms
import Testing

@testable import StallwatchReport

/// The documents' tables of figures are views of the catalogue. `WRITE_DOCUMENTS=1 tools/test --filter
/// DocumentTableTests` writes them.
@Suite("The tables of figures in the documents")
struct DocumentTableTests {
  private func check(_ name: String, _ rewrite: (String) -> String) throws {
    let path = "\(Built.package)/Sources/Stallwatch/Stallwatch.docc/\(name).md"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let rewritten = rewrite(text)
    if ProcessInfo.processInfo.environment["WRITE_DOCUMENTS"] == "1" {
      try rewritten.write(toFile: path, atomically: true, encoding: .utf8)
    } else {
      let stale = rewritten.split(separator: "\n").filter { !text.contains($0) }.joined(separator: "\n")
      #expect(
        text == rewritten,
        "\(name).md: run WRITE_DOCUMENTS=1 tools/test --filter DocumentTableTests, which writes\n\(stale)")
    }
  }

  @Test("have every key of the JSON report, with the words of its figure")
  func json() throws {
    let catalog = Catalog.standard
    try check("TheJSONReport") { text in
      var text = DocumentTable.rewritten(text, heading: "### loops", catalog.loop)
      text = DocumentTable.rewritten(text, heading: "### A mode", catalog.mode)
      text = DocumentTable.rewritten(text, heading: "### stalls", catalog.stalls)
      text = DocumentTable.rewritten(text, heading: "### health", catalog.health)
      text = DocumentTable.rewritten(text, heading: "### timers", catalog.timer)
      return DocumentTable.rewritten(text, heading: "### drift", catalog.drift)
    }
  }

  @Test("have every key of a budget, with the words of its figure")
  func budgets() throws {
    let catalog = Catalog.standard
    let rows =
      DocumentTable.budgetRows("[stalls]", catalog.stalls) + DocumentTable.budgetRows("[loop.NAME]", catalog.loop)
      + DocumentTable.budgetRows("[loop.NAME.mode.MODE]", catalog.mode)
      + DocumentTable.budgetRows("[timer.NAME]", catalog.timer) + DocumentTable.budgetRows("[drift]", catalog.drift)
      + DocumentTable.budgetRows("[health]", catalog.health)
    let others = ["| table ", "| --- "] + BudgetKeys.others.map { "| `[\($0)]`" } + ["| `[[allow]]`"]
    try check("Budgets") { text in
      DocumentTable.rewritten(text, heading: "## Keys", rows: rows) { line in
        !others.contains { line.hasPrefix($0) }
      }
    }
  }
}
