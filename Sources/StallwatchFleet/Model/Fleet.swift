import StallwatchCore

/// One service's fleet by units, for questions about how they differ: the sums of a source, with causes taken together
/// that are one bug. Its size grows with the instances; ``FleetSummary`` stays small.
package struct Fleet: Sendable {
  /// A cause with its stalls on each unit.
  package struct Cause: Sendable {
    package var signature: SignatureRow
    /// The keys of the other signatures that count with it.
    package var absorbed: [String]
    package var units: [FleetUnit: FleetSums.Stalls] = [:]

    /// All its keys.
    package var keys: Set<String> { Set([signature.signature] + absorbed) }
    /// Its stalls on all units that `isIncluded` has.
    package func stalls(_ isIncluded: (FleetUnit) -> Bool = { _ in true }) -> FleetSums.Stalls {
      units.reduce(into: FleetSums.Stalls()) { if isIncluded($1.key) { $0.add($1.value) } }
    }
    /// How many instances have it.
    package func instances(_ isIncluded: (FleetUnit) -> Bool = { _ in true }) -> Int {
      Set(units.keys.filter(isIncluded).map(\.instance)).count
    }
  }

  package let sums: FleetSums
  /// The one with the most time first.
  package let causes: [Cause]
  private let counted: CountedLanes

  /// Folds what a source has of these signatures, or of all. Throws what it throws.
  package init(_ source: some FleetSource, _ filter: FleetFilter, of signatures: Set<String>? = nil) throws {
    self.init(try source.sums(filter, of: signatures), filter)
  }

  init(_ sums: FleetSums, _ filter: FleetFilter) {
    self.sums = sums
    counted = CountedLanes(among: sums.lanes.keys.lazy.map { ($0.kind, $0.isMain) }, filter)
    var totals: [String: Nanoseconds] = [:]
    for (key, stalls) in sums.causes {
      totals[key.signature] = (totals[key.signature] ?? 0).saturatingAdd(stalls.total)
    }
    let merged = MergedSignatures(totals, sums.signatures).causes
    var causes = merged.map { Cause(signature: $0.signature, absorbed: $0.absorbed) }
    let places = Dictionary(
      merged.enumerated().flatMap { place, cause in cause.keys.map { ($0, place) } },
      uniquingKeysWith: { one, _ in one })
    for (key, stalls) in sums.causes {
      guard let place = places[key.signature] else { continue }
      causes[place].units[key.unit, default: .init()].add(stalls)
    }
    self.causes = causes
  }

  /// The units, in order.
  package var units: [FleetUnit] { Set(sums.lanes.keys.map(\.unit)).sorted() }

  /// Exposure and hangs of each unit, by the lanes that count.
  package var exposures: [FleetUnit: FleetSums.Activity] {
    var sums: [FleetUnit: FleetSums.Activity] = [:]
    for (lane, activity) in self.sums.lanes where counted.contains(kind: lane.kind, isMain: lane.isMain) {
      sums[lane.unit, default: .init()].add(activity)
    }
    return sums
  }
}
