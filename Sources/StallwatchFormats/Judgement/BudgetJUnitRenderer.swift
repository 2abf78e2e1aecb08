import StallwatchReport

/// A budget report as JUnit XML with one test case per limit, which most CI systems show.
package struct BudgetJUnitRenderer: Sendable {
  package init() {}

  /// The XML document, ending in a line break.
  package func render(_ report: BudgetReport) -> String {
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites>",
      "  <testsuite name=\"stallwatch check\" tests=\"\(report.results.count)\" failures=\"\(report.findings.count)\" "
        + "errors=\"0\">",
    ]
    for result in report.results {
      let name = "    <testcase classname=\"stallwatch\" name=\"\(Self.escaped(result.key))\""
      guard result.verdict != .held else {
        lines.append(name + "/>")
        continue
      }
      let sentence = Self.escaped(BudgetWords.sentence(result, store: report.store))
      lines.append(name + ">")
      lines.append(
        "      <failure type=\"\(result.verdict.rawValue)\" message=\"\(sentence)\">\(sentence)</failure>")
      lines.append("    </testcase>")
    }
    return (lines + ["  </testsuite>", "</testsuites>"]).joined(separator: "\n") + "\n"
  }

  /// `text`, harmless and escaped for XML.
  private static func escaped(_ text: String) -> String { HTMLText.escaped(text) }
}
