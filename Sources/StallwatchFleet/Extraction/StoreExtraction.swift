import StallwatchCore
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// Reads a store into the rows of a fleet's tables.
///
/// Signatures, stacks and timers have their names first from the store, then from a search. Rows of one session come
/// together, hours in their order, each hour's stalls and stacks before its sums. For one thread at a time.
package struct StoreExtraction {
  private let store: StoreReader
  private let stacks: StackReader<StoreReader>
  private let removals: [Removed]
  private let version: UInt64

  /// An extraction from `store`, all of it whatever a filter lets through. `version` is when the store was opened,
  /// nanoseconds since 1970: of two rows with one key the one with the higher version holds. Throws ``StoreError``.
  package init(_ store: StoreReader, search: SymbolSearch = SymbolSearch(), version: UInt64) throws {
    self.store = store
    stacks = StackReader(store, search: search)
    removals = try store.removals()
    self.version = version
  }

  /// The sessions, oldest first.
  package func sessions() throws -> [StoredSession] { try store.sessions() }

  /// The origin of a session's rows, and the labels that it is made of.
  package func origin(of session: StoredSession) throws -> (origin: RowOrigin, labels: CompleteLabels) {
    let labels = try store.labels(of: session)
    return (RowOrigin(session, labels), labels)
  }

  /// Hands all rows of a session to `sink`, and says what to read next time. Also throws what `sink` throws.
  ///
  /// - Parameter isNew: Which stalls are read, by their number and when they began, nanoseconds since 1970, in place of those
  ///   that `range` tells. None that began before the range's hour and before its first stall is asked for.
  package func extract(
    _ session: StoredSession, from range: ExtractionRange = .everything,
    isNew: ((_ number: UInt64, _ at: UInt64) -> Bool)? = nil, into sink: @escaping (ExtractedRow) throws -> Void
  ) throws -> ExtractionRange {
    try SessionExtraction(
      session, of: store, stacks: stacks, from: range, version: version, isNew: isNew, sink: sink
    ).run(removals: removals)
  }

  /// The images of stacks seen so far whose functions have no names.
  package var symbolNotes: [SymbolNote] { stacks.notes }
}
