import StallwatchCore
import StallwatchReport

/// A budget report for a person at a terminal or reading a log.
package struct BudgetTextRenderer: Sendable {
  private var style: TerminalStyle

  package init(style: TerminalStyle = TerminalStyle()) { self.style = style }

  /// The findings as text, ending in a line break.
  package func render(_ report: BudgetReport) -> String {
    let findings = report.findings
    let held = report.results.count - findings.count
    var lines = [
      findings.isEmpty
        ? style.paint("Within budget: \(Figure.count(held, "limit")) held.", .heading)
        : style.paint(
          "Over budget: \(Figure.count(findings.count, "finding")), \(Figure.count(held, "limit")) held.", .alarm)
    ]
    for finding in findings { lines += wrapped(finding, store: report.store) }
    for entry in report.allowed {
      lines += DisplayText.wrap(
        "  allowed until \(entry.signature.until) (\(DisplayText.name(entry.signature.owner))): "
          + "\(DisplayText.name(entry.signature.signature)), \(Figure.count(entry.stalls, "stall"))", to: style.width,
        indent: "    ")
    }
    if let caveat = report.caveat { lines += DisplayText.wrap(DisplayText.harmless(caveat), to: style.width) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The finding's sentence in lines. Its command is there to be copied, so it is neither broken nor cut.
  private func wrapped(_ finding: BudgetReport.Result, store: String) -> [String] {
    let command = BudgetWords.command(finding, store: store)
    let text = "  " + BudgetWords.judgement(finding) + (command == nil ? "" : "; see")
    var lines = DisplayText.wrap(text, to: style.width, indent: "    ")
    guard let command, let last = lines.popLast() else { return lines }
    let fits = DisplayText.width(of: last) + 1 + DisplayText.width(of: command) <= style.width
    return lines + (fits ? [last + " " + command] : [last, "    " + command])
  }
}

/// Findings of a budget in words.
enum BudgetWords {
  /// `stalls.hang: 3, at most 0 allowed; see 'stallwatch show run.stallwatch 12'`
  static func sentence(_ result: BudgetReport.Result, store: String) -> String {
    judgement(result) + (command(result, store: store).map { "; see \($0)" } ?? "")
  }

  /// The command that shows the stall to look at, in quotation marks.
  static func command(_ result: BudgetReport.Result, store: String) -> String? {
    result.stall.map { "'stallwatch show \(DisplayText.name(ShellWord.quoted(store))) \($0)'" }
  }

  /// The finding, and the cause of its stall: `stalls.hang: 3, at most 0 allowed; Cache.lookup(_:) at Cache.swift:25
  /// waits for a lock`
  static func judgement(_ result: BudgetReport.Result) -> String {
    finding(result) + (result.culprit.map { "; \(DisplayText.harmless($0.sentence))" } ?? "")
  }

  /// The sentence without what to look at.
  static func finding(_ result: BudgetReport.Result) -> String {
    var text = "\(DisplayText.name(result.key)): "
    switch result.verdict {
    case .held: text += "\(value(result.value, result)), at most \(value(result.limit, result)) allowed"
    case .exceeded:
      // Rounded, a value may read like the limit that it exceeds.
      let (found, limit) = (value(result.value, result), value(result.limit, result))
      text += found == limit ? "just over the \(limit) allowed" : "\(found), at most \(limit) allowed"
    case .unseen: text += DisplayText.harmless(result.detail ?? "not seen")
    case .expired: text += "no longer allowed, \(Figure.count(Int(min(result.value ?? 0, 1e15)), "stall"))"
    case .worse:
      let (found, base) = (value(result.value, result), value(result.limit, result))
      text +=
        result.value == nil
        ? "more than in the base store"
        : found == base ? "more than the \(base) in the base store" : "\(found), \(base) in the base store"
    }
    if let detail = result.detail, result.verdict != .unseen { text += " (\(DisplayText.harmless(detail)))" }
    return text
  }

  /// A value as people write it.
  static func value(_ value: Double?, _ result: BudgetReport.Result) -> String {
    Figure.text(value.map { .real($0) }, result.unit)
  }
}
