import StallwatchReport

/// A budget report as GitHub Actions workflow commands, which become annotations ("Workflow commands for GitHub
/// Actions", setting an error message).
package struct BudgetGitHubRenderer: Sendable {
  private var file: String

  /// A renderer whose annotations point at `file`, the budget file.
  package init(file: String) { self.file = file }

  /// The commands, one per line, and a line for the log.
  package func render(_ report: BudgetReport) -> String {
    var lines = report.findings.map { finding in
      let title = Self.property(DisplayText.harmless("stallwatch \(finding.key)"))
      return "::error file=\(Self.property(DisplayText.harmless(file))),title=\(title)::"
        + Self.data(BudgetWords.sentence(finding, store: report.store))
    }
    if let caveat = report.caveat { lines.append("::warning::\(Self.data(DisplayText.harmless(caveat)))") }
    let held = report.results.count - report.findings.count
    lines.append(
      "stallwatch check: \(Figure.count(report.findings.count, "finding")), \(Figure.count(held, "limit")) held")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func data(_ text: String) -> String {
    DisplayText.replaced(text) { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      default: nil
      }
    }
  }

  private static func property(_ text: String) -> String {
    DisplayText.replaced(data(text)) { scalar in
      switch scalar {
      case ":": "%3A"
      case ",": "%2C"
      default: nil
      }
    }
  }
}
