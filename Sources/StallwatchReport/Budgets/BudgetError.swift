/// Why a budget cannot be used. Each message names the key, the reason and the remedy; the caller names the file.
package enum BudgetError: Error, Equatable {
  /// The budget sets no limit and names no base store.
  case empty
  /// The budget has a key that does not exist. `nearest` holds the known keys most like it.
  case unknownKey(String, nearest: [String])
  /// A key has a value of the wrong kind.
  case badValue(String, expected: String)
}

extension BudgetError: CustomStringConvertible {
  /// One line for the user: key, reason, remedy.
  package var description: String {
    switch self {
    case .empty: "sets no limit; add one, for example [stalls] hang = 0"
    case .unknownKey(let key, let nearest):
      "no key \(key); "
        + (nearest.isEmpty ? "the documentation lists all keys" : "did you mean \(nearest.joined(separator: " or "))?")
    case .badValue(let key, let expected): "\(key) must be \(expected)"
    }
  }
}
