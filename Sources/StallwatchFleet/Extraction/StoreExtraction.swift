import StallwatchCore
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// Reads a store into the rows of a fleet's tables.
///
/// Names of signatures, stacks and timers come from the store, or else from a search. The rows of a session come
/// together, hour by hour, each hour's stalls and stacks before its sums. For one thread at a time.
package struct StoreExtraction {
  private let store: StoreReader
  private let stacks: StackReader<StoreReader>
  private let removals: [Removed]
  private let version: UInt64

  /// An extraction of the whole `store`, whatever its filter. `version` is when the store was opened, nanoseconds since
  /// 1970: of two rows with the same key, the one with the higher version counts. Throws ``StoreError``.
  package init(_ store: StoreReader, search: SymbolSearch = SymbolSearch(), version: UInt64) throws {
    self.store = store
    stacks = StackReader(store, search: search)
    removals = try store.removals()
    self.version = version
  }

  /// The sessions, oldest first.
  package func sessions() throws -> [StoredSession] { try store.sessions() }

  /// The origin of a session's rows, and the labels that it comes from.
  package func origin(of session: StoredSession) throws -> (origin: RowOrigin, labels: CompleteLabels) {
    let labels = try store.labels(of: session)
    return (RowOrigin(session, labels), labels)
  }

  /// Passes all rows of a session to `sink`. Returns the range to read next time. Also throws what `sink` throws.
  ///
  /// - Parameter isNew: Whether to read a stall, by its number and its start, nanoseconds since 1970. Replaces the
  ///   stalls of `range`. Is not called for stalls that began before the range's hour and before its first stall.
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
