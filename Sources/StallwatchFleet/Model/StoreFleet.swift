import StallwatchCore
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// A fleet in stores, each read anew for every question: for small teams, without a server. Holds the sums of what is asked
/// about and one session's hours, not the stores.
package struct StoreFleet: FleetSource {
  /// A session in the store that knows most of it: stores may be copies of each other.
  private struct Place {
    var path: String
    var row: Int64
    var origin: RowOrigin
    /// The hours from the first to the last, counted from 1970.
    var hours: ClosedRange<UInt64>
    var lastSeen: Nanoseconds
    var lanes: [String]
  }

  package let name: String
  private let search: SymbolSearch
  private let open: (String) throws -> StoreReader
  private let places: [Place]

  /// A fleet of these stores, which `open` opens. Throws what that throws, and ``StoreError``.
  package init(
    _ paths: [String], name: String, search: SymbolSearch = SymbolSearch(),
    open: @escaping (String) throws -> StoreReader = { try StoreReader(path: $0) }
  ) throws {
    (self.name, self.search, self.open) = (name, search, open)
    var places: [UInt64: Place] = [:]
    for path in paths {
      let store = try open(path)
      let extraction = try StoreExtraction(store, search: search, version: 0)
      for session in try extraction.sessions() {
        let origin = try extraction.origin(of: session).origin
        guard places[origin.session]?.lastSeen ?? 0 <= session.lastSeenNs else { continue }
        let grid = HourGrid(session)
        let (first, last) = (grid.hour(of: session.record.startedNs), grid.hour(of: session.lastSeenNs))
        places[origin.session] = Place(
          path: path, row: session.id, origin: origin, hours: first...max(first, last), lastSeen: session.lastSeenNs,
          lanes: try store.loops(session: session.id).map(\.record.name))
      }
    }
    self.places = places.values.sorted { ($0.path, $0.row) < ($1.path, $1.row) }
  }

  package func known() -> FleetNames {
    var names = FleetNames()
    for place in places {
      names.services[place.origin.service, default: FleetNames.Service()].releases.insert(place.origin.release)
      names.services[place.origin.service]?.environments.insert(place.origin.environment)
      names.services[place.origin.service]?.lanes.formUnion(place.lanes)
      names.newest = max(names.newest, place.hours.upperBound)
    }
    return names
  }

  package func summary(_ filter: FleetFilter) throws -> FleetSummary {
    try rowSums(filter).summary(filter, source: name)
  }

  package func sums(_ filter: FleetFilter, of signatures: Set<String>?) throws -> FleetSums {
    var sums = try rowSums(filter).units
    if let signatures {
      sums.causes = sums.causes.filter { signatures.contains($0.key.signature) }
      sums.signatures = sums.signatures.filter { signatures.contains($0.key) }
    }
    return sums
  }

  private func rowSums(_ filter: FleetFilter) throws -> RowSums {
    final class Found { var sums = RowSums() }
    let found = Found()
    try forEachSession(filter) { place, extraction, session in
      let range = ExtractionRange(hour: filter.since ?? 0, stall: .max)
      _ = try extraction.extract(session, from: range) { row in
        switch row {
        case .activity(let row): found.sums.add(row, filter)
        case .session(let row): found.sums.add(row)
        case .signature(let row): found.sums.units.signatures[row.signature] = row
        default: break
        }
      }
    }
    // Signatures of stalls that the filter leaves out are no answer.
    let used = Set(found.sums.units.causes.keys.map(\.signature))
    found.sums.units.signatures = found.sums.units.signatures.filter { used.contains($0.key) }
    return found.sums
  }

  package func forEachStall(_ filter: FleetFilter, _ body: @escaping (FleetStall) throws -> Void) throws {
    try forEachSession(filter) { place, extraction, session in
      _ = try extraction.extract(session, from: ExtractionRange(hour: .max, stall: 0)) { row in
        guard case .stall(let row) = row, filter.admits(row) else { return }
        try body(FleetStall(row, store: place.path))
      }
    }
  }

  package func examples(_ filter: FleetFilter, of signatures: Set<String>, limit: Int) throws -> [FleetStall] {
    var best: [String: [FleetStall]] = [:]
    try forEachStall(filter) { stall in
      guard signatures.contains(stall.signature) else { return }
      best[stall.unit.instance, default: []].append(stall)
      guard let all = best[stall.unit.instance], all.count >= 4 * limit else { return }
      best[stall.unit.instance] = .examples(of: all, limit: limit)
    }
    return .examples(of: best.values.joined(), limit: limit)
  }

  package func stacks(_ filter: FleetFilter, of signatures: Set<String>) throws -> [FleetStack] {
    final class Found {
      var frames: [UInt64: [String]] = [:]
      var times: [UInt64: (looks: UInt64, weight: Nanoseconds)] = [:]
    }
    let found = Found()
    try forEachSession(filter) { _, extraction, session in
      let range = ExtractionRange(hour: filter.since ?? 0, stall: .max)
      _ = try extraction.extract(session, from: range) { row in
        switch row {
        case .stack(let row): found.frames[row.stack] = row.frames
        case .stackTimes(let row):
          guard filter.admits(hour: UInt64(row.hour) / 3_600) else { return }
          for time in row.times where signatures.contains(time.signature) {
            let known = found.times[time.stack] ?? (0, 0)
            found.times[time.stack] = (known.looks &+ time.looks, known.weight.saturatingAdd(time.weight))
          }
        default: break
        }
      }
    }
    return found.times.map { stack, time in
      FleetStack(frames: found.frames[stack] ?? [], looks: time.looks, weight: time.weight)
    }.sorted { ($1.weight, $0.frames.joined()) < ($0.weight, $1.frames.joined()) }
  }

  private func forEachSession(
    _ filter: FleetFilter, _ body: (Place, StoreExtraction, StoredSession) throws -> Void
  ) throws {
    var last: (path: String, extraction: StoreExtraction, sessions: [StoredSession])?
    for place in places where filter.admits(place.origin) {
      guard place.hours.upperBound >= filter.since ?? 0, place.hours.lowerBound < filter.until ?? .max else { continue }
      if last?.path != place.path {
        let extraction = try StoreExtraction(open(place.path), search: search, version: 0)
        last = (place.path, extraction, try extraction.sessions())
      }
      guard let (_, extraction, sessions) = last, let session = sessions.first(where: { $0.id == place.row }) else {
        continue
      }
      try body(place, extraction, session)
    }
  }
}

extension FleetUnit {
  init(_ origin: RowOrigin) {
    self.init(release: origin.release, environment: origin.environment, instance: origin.instance)
  }
}

extension FleetFilter {
  /// Whether a stall passes: what ``FleetSource/forEachStall(_:_:)`` hands on.
  fileprivate func admits(_ row: StallRow) -> Bool {
    !row.signature.isEmpty && row.state != StallState.cancelled.rawValue
      && row.kind != StallKind.congestion.rawValue && admits(lane: row.laneName)
      && admits(hour: row.started / HourGrid.length)
  }
}

extension FleetStall {
  fileprivate init(_ row: StallRow, store: String) {
    self.init(
      unit: FleetUnit(row.origin), session: row.origin.session, number: row.number, lane: row.laneName,
      signature: row.signature, started: row.started, duration: row.duration, store: store)
  }
}
