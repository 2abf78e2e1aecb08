/// Why a budget cannot be used. Each message names the key, the reason and the way out; the caller knows the file.
public enum BudgetError: Error, Equatable {
  /// There is nothing in it to hold a recording to.
  case empty
  /// No such key.
  case unknownKey(String, nearest: [String])
  /// A key with a value of another kind.
  case badValue(String, expected: String)
}

extension BudgetError: CustomStringConvertible {
  /// One line for the user: key, reason, way out.
  public var description: String {
    switch self {
    case .empty: "sets no limit; add one, for example [stalls] hang = 0"
    case .unknownKey(let key, let nearest):
      "no key \(key); "
        + (nearest.isEmpty ? "the documentation lists all" : "did you mean \(nearest.joined(separator: " or "))?")
    case .badValue(let key, let expected): "\(key) wants \(expected)"
    }
  }
}
