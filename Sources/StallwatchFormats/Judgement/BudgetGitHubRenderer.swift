import StallwatchReport

/// A budget report as GitHub Actions workflow commands, which become annotations ("Workflow commands for GitHub
/// Actions", setting an error message).
package struct BudgetGitHubRenderer: Sendable {
  private var file: String
  private var checkouts: [String]

  /// A renderer whose annotations point at the line of the culprit, if that lies below one of `checkouts`, which are
  /// paths of the checkout; else at `file`, the budget file.
  package init(file: String, checkouts: [String] = []) {
    self.file = file
    self.checkouts = checkouts.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
  }

  /// The commands, one per line, and a line for the log.
  package func render(_ report: BudgetReport) -> String {
    var lines = report.findings.map { finding in
      let title = Self.property(DisplayText.harmless("stallwatch \(finding.key)"))
      return "::error \(place(of: finding)),title=\(title)::"
        + Self.data(BudgetWords.sentence(finding, store: report.store))
    }
    if let caveat = report.caveat { lines.append("::warning::\(Self.data(DisplayText.harmless(caveat)))") }
    let held = report.results.count - report.findings.count
    lines.append(
      "stallwatch check: \(Figure.count(report.findings.count, "finding")), \(Figure.count(held, "limit")) held")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The file, relative to the checkout, and the line.
  private func place(of finding: BudgetReport.Result) -> String {
    if let location = finding.culprit?.location, let line = location.line,
      let checkout = checkouts.first(where: { location.path.hasPrefix($0) }),
      !location.path.dropFirst(checkout.count).split(separator: "/").contains("..")
    {
      let path = String(location.path.dropFirst(checkout.count))
      return "file=\(Self.property(DisplayText.harmless(path))),line=\(line)"
    }
    return "file=\(Self.property(DisplayText.harmless(file)))"
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
