/// Why the arguments are invalid.
enum OptionsError: Error, CustomStringConvertible {
  /// There is no such option.
  case unknown(String)
  /// The last option has no value.
  case missingValue(String)
  /// The option's value is not valid.
  case badValue(String, String, expected: String)
  /// `--min-stall` is above `--max-stall`.
  case shortestAboveLongest

  /// One line for the user.
  var description: String {
    switch self {
    case .unknown(let name): "unknown option '\(name)'; --help lists them"
    case .missingValue(let name): "\(name) needs a value; --help has an example"
    case .badValue(let name, let text, let expected): "\(name) wants \(expected), not '\(text)'"
    case .shortestAboveLongest: "--min-stall is longer than --max-stall; swap them, or give both"
    }
  }
}
