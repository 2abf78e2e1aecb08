import ArgumentParser
import StallwatchFleet

/// What `ship` lets leave beyond what it sends anyway.
struct ShippedKinds: Equatable, CustomStringConvertible {
  var kinds: Set<Allowance> = []

  var policy: PrivacyPolicy { PrivacyPolicy(allowing: kinds) }

  var description: String {
    kinds.isEmpty ? "none" : Allowance.allCases.filter(kinds.contains).map(\.rawValue).joined(separator: ",")
  }

  @Sendable
  static func parse(_ text: String) throws -> ShippedKinds {
    var kinds: Set<Allowance> = []
    for part in text.split(separator: ",") where part != "none" {
      guard let kind = Allowance(rawValue: String(part)) else {
        let names = Allowance.allCases.map(\.rawValue)
        throw ValidationError(
          "'\(part)' is none of \(names.joined(separator: ", "))\(Suggestion.question(for: String(part), among: names))"
        )
      }
      kinds.insert(kind)
    }
    return ShippedKinds(kinds: kinds)
  }
}
