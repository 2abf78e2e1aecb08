import ArgumentParser
import StallwatchFleet
import StallwatchStore

/// What `ship` lets leave beyond what it sends anyway.
struct ShippedKinds: Equatable, CustomStringConvertible {
  /// What is kept back by default.
  enum Kind: String, CaseIterable {
    case arguments, hosts, annotations, targets, paths
  }

  var kinds: Set<Kind> = []

  var description: String {
    kinds.isEmpty ? "none" : Kind.allCases.filter(kinds.contains).map(\.rawValue).joined(separator: ",")
  }

  @Sendable
  static func parse(_ text: String) throws -> ShippedKinds {
    var kinds: Set<Kind> = []
    for part in text.split(separator: ",") where part != "none" {
      guard let kind = Kind(rawValue: String(part)) else {
        let names = Kind.allCases.map(\.rawValue)
        throw ValidationError(
          "'\(part)' is none of \(names.joined(separator: ", "))\(Suggestion.question(for: String(part), among: names))")
      }
      kinds.insert(kind)
    }
    return ShippedKinds(kinds: kinds)
  }

  /// What is done to every row before it leaves. `instance` stands for a machine whose name nobody gave.
  func cleaning(instance: String) throws -> StoreSource.Cleaning {
    { row, session in
      let isNamed = kinds.contains(.hosts) || session.record.labels.instance != nil
      func cleaned(_ origin: RowOrigin) -> RowOrigin {
        var origin = origin
        if !isNamed { origin.instance = instance }
        return origin
      }
      switch row {
      case var row as SessionRow:
        row.origin = cleaned(row.origin)
        if !kinds.contains(.hosts) { row.host = "" }
        if !kinds.contains(.arguments) { row.command = Array(row.command.prefix(1)) }
        return row
      case var row as StallRow:
        row.origin = cleaned(row.origin)
        if !kinds.contains(.annotations) { row.annotations = [] }
        if !kinds.contains(.targets) { row.target = "" }
        return row
      case var row as ActivityRow:
        row.origin = cleaned(row.origin)
        return row
      case var row as StackTimesRow:
        row.origin = cleaned(row.origin)
        return row
      case var row as TimerRow:
        row.origin = cleaned(row.origin)
        return row
      default: return row
      }
    }
  }
}
