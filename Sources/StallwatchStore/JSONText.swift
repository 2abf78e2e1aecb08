/// Writes the two kinds of JSON that a store holds, without a library. SQLite itself reads them.
enum JSONText {
  /// An array of strings.
  static func array(_ values: [String]) -> String {
    "[" + values.map(string).joined(separator: ",") + "]"
  }

  /// An object of strings, sorted by key; nil when it is empty.
  static func object(_ values: [String: String]) -> String? {
    if values.isEmpty { return nil }
    let members = values.sorted { $0.key < $1.key }.map { string($0.key) + ":" + string($0.value) }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func string(_ value: String) -> String {
    // The quick way for nearly every name of a mode; each timer has such names.
    if value.utf8.allSatisfy({ plain.contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      return "\"" + value + "\""
    }
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{0}"..<"\u{20}", "\u{7f}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  /// The printable ASCII characters.
  private static let plain = UInt8(ascii: " ")...UInt8(ascii: "~")
}
