/// A value that stands in a query for a parameter.
package enum SQLValue: Sendable, Equatable {
  case text(String)
  case unsigned(UInt64)
  case signed(Int64)
  case real(Double)
  case texts([String])
  case unsigneds([UInt64])
}

/// Writes texts of SQL so that nothing in a value acts.
enum SQLText {
  /// A name of a table or a column. Names with a point, such as `span.bucket`, are one name.
  static func name(_ name: String) -> String { "`" + escaped(name, quote: "`") + "`" }

  /// A value as a literal.
  static func literal(_ value: SQLValue) -> String {
    switch value {
    case .text(let text): "'" + escaped(text, quote: "'") + "'"
    case .unsigned(let number): "\(number)"
    case .signed(let number): "\(number)"
    case .real(let number): number.isFinite ? "\(number)" : "nan"
    case .texts(let texts): "[" + texts.map { literal(.text($0)) }.joined(separator: ", ") + "]"
    case .unsigneds(let numbers): "[" + numbers.map { "\($0)" }.joined(separator: ", ") + "]"
    }
  }

  /// Backslashes and the quote are escaped, and control characters written by their codes: the server reads both in any
  /// text between quotes.
  private static func escaped(_ text: String, quote: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == quote || scalar == "\\" {
        result += ["\\", scalar]
      } else if scalar.value < 0x20 {
        let code = String(scalar.value, radix: 16)
        result.append(contentsOf: ("\\x" + (code.count < 2 ? "0" : "") + code).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// `query` with the parameter's literal for each `{name:Type}`, cast to that type. Numbers are not cast, because
  /// `LIMIT` takes only literals. Throws ``ClickHouseError/unusable(_:)`` for one that has no value.
  static func filled(_ query: String, _ parameters: [String: SQLValue]) throws -> String {
    var (result, rest) = ("", query[...])
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      rest = rest[open...]
      guard let close = rest.firstIndex(of: "}"), let colon = rest[..<close].firstIndex(of: ":") else { break }
      let name = rest[rest.index(after: open)..<colon]
      guard let value = parameters[String(name)] else {
        throw ClickHouseError.unusable("the query's parameter '\(name)' has no value")
      }
      if case .unsigned = value {
        result += literal(value)
      } else {
        result += "CAST(\(literal(value)) AS \(rest[rest.index(after: colon)..<close]))"
      }
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }
}
