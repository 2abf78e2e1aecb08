import StallwatchReport

/// Makes text safe for a page: no markup survives.
package enum HTMLText {
  /// The longest name, in columns. Nobody reads longer ones, and a thousand of them would fill the page.
  static let longestName = 300

  /// `text`, harmless and escaped, for an element's content or a quoted attribute.
  package static func escaped(_ text: String) -> String {
    DisplayText.replaced(DisplayText.harmless(text)) { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      default: nil
      }
    }
  }

  /// JSON for a script's content, escaped so that it cannot end the script.
  static func inScript(_ json: String) -> String {
    DisplayText.replaced(json) { $0 == "<" ? "\\u003c" : $0 == ">" ? "\\u003e" : nil }
  }

  /// A name from the recorded program, cut and escaped.
  package static func name(_ text: String) -> String { escaped(DisplayText.name(text, to: longestName)) }

  /// A number for an attribute, with at most three decimals.
  package static func number(_ value: Double) -> String {
    let thousandths = Int64((min(max(value, -1e12), 1e12) * 1_000).rounded())
    guard thousandths % 1_000 != 0 else { return String(thousandths / 1_000) }
    return String(Double(thousandths) / 1_000)
  }
}
