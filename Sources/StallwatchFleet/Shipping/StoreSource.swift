import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// A store as rows of a fleet's tables, without anything that must not leave the machine.
package struct StoreSource: ShippingSource {
  private let store: StoreReader
  private let extraction: StoreExtraction
  private let privacy: PrivacyPolicy
  private let standIn: String
  private let owner: StoreOwner?
  private let stored: [Int64: StoredSession]

  /// Opens the store at `path`. Of two rows with one key the one with the higher `version` holds. `standIn` stands for
  /// a machine whose name may not leave. Throws ``StoreError``.
  package init(
    path: String, search: SymbolSearch, version: UInt64, privacy: PrivacyPolicy, standIn: String
  ) throws {
    store = try StoreReader(path: path)
    extraction = try StoreExtraction(store, search: search, version: version)
    stored = Dictionary(try store.sessions().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    (self.privacy, self.standIn, owner) = (privacy, standIn, StoreOwner(ofFile: path))
  }

  package func sessions() throws -> [ShippingSession] {
    var (removed, until): ([Int64: UInt64], [Int64: Nanoseconds]) = ([:], [:])
    for removal in try store.removals() {
      guard let session = removal.session, [.samples, .stalls, .windows].contains(removal.what) else { continue }
      until[session] = max(until[session] ?? 0, removal.until ?? 0)
      if removal.what == .stalls { removed[session, default: 0] += UInt64(max(removal.count, 0)) }
    }
    // Also stalls in which the process died: whoever takes over the session may find that they ended before.
    let open = Dictionary(grouping: try store.openStalls(), by: \.session)
    return try store.sessions().map { session in
      let (removed, open) = (removed[session.id] ?? 0, open[session.id] ?? [])
      let highest = try store.highestStall(session: session.id, removed: removed)
      let exit = session.exitStatus.map(String.init) ?? "-"
      return ShippingSession(
        key: RowOrigin.number(of: session), row: session.id, lastSeen: session.lastSeenNs,
        lastSeenAt: session.wallClock(at: session.lastSeenNs), isRunning: session.ended == .running,
        sign: "\(session.ended.rawValue) \(exit) \(session.lastSeenNs) \(highest) \(open.count)",
        open: open.map {
          ShippingCheckpoint.Open(
            number: $0.began.id.rawValue, hour: WallHour.start(of: session.wallClock(at: $0.began.startedNs)))
        },
        highestStall: highest, removedStalls: removed,
        wholeFrom: until[session.id].map { Self.hour(after: session.wallClock(at: $0)) } ?? 0)
    }
  }

  /// The first hour without a part of what began at `moment`, nanoseconds since 1970: a window is an hour long at most.
  private static func hour(after moment: UInt64) -> UInt32 {
    WallHour.start(of: moment).addingReportingOverflow(2 * WallHour.length).partialValue
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
    let first = UInt64(hour / WallHour.length)
    // `isNew` is asked about all stalls from the first hour on, and about none before it.
    let range = ExtractionRange(hour: first, stall: UInt64(Int64.max))
    let labels = try extraction.origin(of: stored).labels
    let passing = Passing(privacy.session(PrivateFacts(stored, labels, owner: owner, standIn: standIn)), to: body)
    let next = try extraction.extract(stored, from: range, isNew: isNew) { try passing.pass($0) }
    return UInt32(clamping: next.hour * UInt64(WallHour.length))
  }

  /// Passes on rows without private texts, and reports the end of each hour.
  private final class Passing {
    private var cleaning: SessionPrivacy
    private let body: (ShippingPart) throws -> Void
    private var reached: UInt32 = 0

    init(_ cleaning: SessionPrivacy, to body: @escaping (ShippingPart) throws -> Void) {
      (self.cleaning, self.body) = (cleaning, body)
    }

    func pass(_ extracted: ExtractedRow) throws {
      if let hour = StoreSource.hour(of: extracted), hour > reached {
        if reached > 0 { try body(.endOfHour(hour - WallHour.length)) }
        reached = hour
      }
      for row in cleaning.cleaned(extracted.row) { try body(.row(row)) }
    }
  }

  /// The hour that a row belongs to; nil for rows of the whole session. Hours come in order.
  private static func hour(of extracted: ExtractedRow) -> UInt32? {
    switch extracted {
    case .stall(let row): WallHour.start(of: row.started)
    case .activity(let row): row.hour
    case .stackTimes(let row): row.hour
    case .session, .signature, .stack, .timer: nil
    }
  }
}
