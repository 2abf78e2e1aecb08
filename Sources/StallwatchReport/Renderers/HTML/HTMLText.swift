/// Text of a page: nothing in it is markup.
enum HTMLText {
  /// Longer names are cut: nobody reads them, and a thousand of them would fill the page.
  static let longestName = 300

  /// `text`, harmless and escaped, for an element's content or a quoted attribute.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in DisplayText.harmless(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A name from the recorded program, cut and escaped.
  static func name(_ text: String) -> String { escaped(DisplayText.name(text, to: longestName)) }

  /// A number for an attribute, with at most three decimals.
  static func number(_ value: Double) -> String {
    let thousandths = Int64((min(max(value, -1e12), 1e12) * 1_000).rounded())
    guard thousandths % 1_000 != 0 else { return String(thousandths / 1_000) }
    return String(Double(thousandths) / 1_000)
  }
}
