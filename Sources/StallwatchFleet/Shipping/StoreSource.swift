import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// A store, read into the rows of a fleet's tables. Only what a policy lets through leaves.
package struct StoreSource: ShippingSource {
  private let store: StoreReader
  private let extraction: StoreExtraction
  private let privacy: PrivacyPolicy
  private let standIn: String
  private let owner: StoreOwner?
  private let stored: [Int64: StoredSession]

  /// Opens the store at `path`. `version` is the time, nanoseconds since 1970: of two rows with one key the one with the
  /// higher version holds. `standIn` stands for a machine that nobody named, where host names do not leave. Throws
  /// ``StoreError``.
  package init(
    path: String, search: SymbolSearch, version: UInt64, privacy: PrivacyPolicy, standIn: String
  ) throws {
    store = try StoreReader(path: path)
    extraction = try StoreExtraction(store, search: search, version: version)
    stored = Dictionary(try store.sessions().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    (self.privacy, self.standIn) = (privacy, standIn)
    owner = StoreOwner(ofFile: path)
  }

  package func sessions() throws -> [ShippingSession] {
    var removed: [Int64: UInt64] = [:]
    for removal in try store.removals() where removal.what == .stalls {
      if let session = removal.session { removed[session, default: 0] += UInt64(max(removal.count, 0)) }
    }
    let open = Dictionary(grouping: try store.openStalls().filter { $0.state == .began }, by: \.session)
    return try store.sessions().map { session in
      ShippingSession(
        key: RowOrigin.number(of: session), row: session.id, lastSeen: session.lastSeenNs,
        lastSeenAt: session.wallClock(at: session.lastSeenNs), isRunning: session.ended == .running,
        sign: "\(session.ended.rawValue) \(session.exitStatus.map(String.init) ?? "-") \(session.lastSeenNs)",
        open: (open[session.id] ?? []).map {
          ShippingCheckpoint.Open(
            number: $0.began.id.rawValue, hour: WallHour.start(of: session.wallClock(at: $0.began.startedNs)))
        },
        highestStall: try store.highestStall(session: session.id), removedStalls: removed[session.id] ?? 0)
    }
  }

  package func firstStall(of session: ShippingSession, after number: UInt64) throws -> UInt64? {
    guard let stored = stored[session.row] else { return nil }
    return try store.firstStall(session: session.row, after: number).map { stored.wallClock(at: $0) }
  }

  package func forEachPart(
    of session: ShippingSession, from hour: UInt32, isNew: @escaping (UInt64, UInt64) -> Bool,
    _ body: @escaping (ShippingPart) throws -> Void
  ) throws -> UInt32 {
    guard let stored = stored[session.row] else { return hour }
    var privacy = privacy.session(
      PrivateFacts(stored, try store.labels(of: stored), owner: owner, standIn: standIn))
    let first = UInt64(hour / WallHour.length)
    // All stalls from the first hour on are asked for, and none before it.
    let range = ExtractionRange(hour: first, stall: UInt64(Int64.max))
    var reached: UInt32?
    let next = try extraction.extract(stored, from: range, isNew: isNew) { extracted in
      if let hour = Self.hour(of: extracted) {
        if let reached, hour > reached { try body(.endOfHour(hour - WallHour.length)) }
        reached = max(reached ?? 0, hour)
      }
      for row in privacy.cleaned(extracted.row) { try body(.row(row)) }
    }
    return UInt32(clamping: next.hour * UInt64(WallHour.length))
  }

  /// The hour that a row belongs to: hours come one after the other.
  private static func hour(of extracted: ExtractedRow) -> UInt32? {
    switch extracted {
    case .stall(let row): WallHour.start(of: row.started)
    case .activity(let row): row.hour
    case .stackTimes(let row): row.hour
    case .session, .signature, .stack, .timer: nil
    }
  }
}
