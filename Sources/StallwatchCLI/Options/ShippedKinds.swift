import ArgumentParser
import StallwatchFleet

/// What `ship` lets leave beyond what it sends anyway: `arguments,hosts`.
struct ShippedKinds: Equatable, CustomStringConvertible {
  var allowances: Set<Allowance> = []

  var description: String {
    allowances.isEmpty ? "none" : Allowance.allCases.filter(allowances.contains).map(\.rawValue).joined(separator: ",")
  }

  /// Parses an option's value. Throws `ValidationError`, which says what to write.
  @Sendable
  static func parse(_ text: String) throws -> ShippedKinds {
    var allowances: Set<Allowance> = []
    for part in text.split(separator: ",") where part != "none" {
      guard let allowance = Allowance(rawValue: String(part)) else {
        let names = Allowance.allCases.map(\.rawValue)
        throw ValidationError(
          "'\(part)' is none of \(names.joined(separator: ", ")).\(Suggestion.question(for: String(part), among: names))"
        )
      }
      allowances.insert(allowance)
    }
    return ShippedKinds(allowances: allowances)
  }
}
