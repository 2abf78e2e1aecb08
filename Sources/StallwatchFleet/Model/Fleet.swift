import StallwatchCore
import StallwatchReport
import StallwatchSymbols

/// One service's fleet, as far as it was asked about: the sums of its units, with causes taken together that are one bug.
package struct Fleet: Sendable {
  /// A cause, of which others may be parts (``CauseMerging``).
  package struct Cause: Sendable {
    /// What it is called: of its parts, the one with the most time.
    package var signature: SignatureRow
    /// The keys of what counts with it.
    package var absorbed: [String] = []
    package var units: [FleetUnit: FleetSums.Stalls]

    /// All its keys.
    package var keys: Set<String> { Set([signature.signature] + absorbed) }
    /// What texts call it.
    package var title: String { signature.title }
    /// Its stalls on all units that `isIncluded` has.
    package func stalls(_ isIncluded: (FleetUnit) -> Bool = { _ in true }) -> FleetSums.Stalls {
      units.reduce(into: FleetSums.Stalls()) { if isIncluded($1.key) { $0.add($1.value) } }
    }
    /// How many instances have it.
    package func instances(_ isIncluded: (FleetUnit) -> Bool = { _ in true }) -> Int {
      Set(units.keys.filter(isIncluded).map(\.instance)).count
    }
    /// In how many hours of instances it was seen.
    package var instanceHours: Int {
      var hours: [String: Set<UInt64>] = [:]
      for (unit, stalls) in units { hours[unit.instance, default: []].formUnion(stalls.hours) }
      return hours.values.reduce(0) { $0 + $1.count }
    }
  }

  package let filter: FleetFilter
  /// What the source is called.
  package let source: String
  package let sums: FleetSums
  /// The one that the most instances have first, then by hours.
  package let causes: [Cause]
  /// The releases, in the order in which they were first seen.
  package let releases: [String]
  /// The lanes by which exposure and hangs are counted: those of main threads where there are any, otherwise all that are
  /// loops; those that were asked for.
  private let counted: Set<FleetSums.Lane>

  /// Folds what a source has. Throws what it throws.
  package init(_ source: some FleetSource, _ filter: FleetFilter) throws {
    self.init(try source.sums(filter), filter, source: source.name)
  }

  init(_ sums: FleetSums, _ filter: FleetFilter, source: String) {
    (self.sums, self.filter, self.source) = (sums, filter, source)
    causes = Self.causes(sums)
    var seen: [String: UInt64] = [:]
    for (lane, activity) in sums.lanes where activity.watched > 0 {
      seen[lane.unit.release] = min(seen[lane.unit.release] ?? .max, activity.first)
    }
    releases = seen.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    let loops = sums.lanes.keys.filter { LaneKind(rawValue: $0.kind)?.isOfItems != true }
    let main = loops.filter(\.isMain)
    counted = Set(!filter.lanes.isEmpty || main.isEmpty ? loops : main)
  }

  /// The units, in order.
  package var units: [FleetUnit] { Set(sums.lanes.keys.map(\.unit)).sorted() }
  /// The names of the lanes by which exposure and hangs are counted, and whether they are those of main threads.
  package var countedLanes: [String] { Set(counted.map(\.name)).sorted() }

  /// Exposure and hangs of each unit, by the lanes that count.
  package var exposures: [FleetUnit: FleetSums.Activity] {
    var sums: [FleetUnit: FleetSums.Activity] = [:]
    for lane in counted { sums[lane.unit, default: .init()].add(self.sums.lanes[lane] ?? .init()) }
    return sums
  }

  private static func causes(_ sums: FleetSums) -> [Cause] {
    var raw: [String: (total: Nanoseconds, units: [FleetUnit: FleetSums.Stalls])] = [:]
    for (key, stalls) in sums.causes {
      let total = (raw[key.signature]?.total ?? 0).saturatingAdd(stalls.total)
      raw[key.signature, default: (0, [:])].units[key.unit] = stalls
      raw[key.signature]?.total = total
    }
    var (merging, causes) = (CauseMerging(), [Cause]())
    for (key, cause) in raw.sorted(by: { ($1.value.total, $0.key) < ($0.value.total, $1.key) }) {
      let signature = sums.signatures[key] ?? SignatureRow(unknown: key)
      let place = merging.place(
        of: key, near: signature.near.isEmpty ? nil : signature.near, site: CauseMerging.Site(signature))
      if place == causes.count {
        causes.append(Cause(signature: signature, units: cause.units))
      } else {
        causes[place].absorbed.append(key)
        for (unit, stalls) in cause.units { causes[place].units[unit, default: .init()].add(stalls) }
      }
    }
    let ranked = causes.map { cause in
      (cause: cause, key: cause.signature.signature, instances: cause.instances(), hours: cause.instanceHours)
    }
    return ranked.sorted { ($1.instances, $1.hours, $0.key) < ($0.instances, $0.hours, $1.key) }.map(\.cause)
  }
}

extension SignatureRow {
  /// A signature of which only the key is known.
  init(unknown key: String) {
    self.init(
      service: "", signature: key, title: key, function: "", file: "", line: 0, call: "", called: "", near: "",
      frames: [], version: 0)
  }

  /// The function that counts, with its place.
  package var place: Blame.Place? {
    guard !function.isEmpty else { return nil }
    let location = file.isEmpty ? nil : SourceLocation(path: file, line: line > 0 ? Int(line) : nil)
    return Blame.Place(function: function, location: location)
  }
}

extension CauseMerging.Site {
  init?(_ signature: SignatureRow) {
    self.init(signature.place, called: signature.called.isEmpty ? nil : signature.called)
  }
}
