import StallwatchCore

/// Reads a store without changing it, also while it is being written. One reader serves one thread at a time.
public struct StoreReader {
  /// Opens the store at `path`. Throws ``StoreError``.
  public init(path: String) throws { throw StoreError.missing(path: path) }
  /// All sessions, oldest first.
  public func sessions() throws -> [StoredSession] { [] }
  /// The loops of a session, in the order in which they were seen.
  public func loops(session: Int64) throws -> [StoredLoop] { [] }
  /// The modes of a loop with their profiles.
  public func modes(loop: Int64) throws -> [StoredMode] { [] }
  /// How many stalls there are of each kind, state and severity, without reading them one by one.
  public func stallTotals() throws -> [StallTotal] { [] }
  /// The longest stalls, longest first; cancelled ones are left out.
  public func worstStalls(limit: Int) throws -> [StoredStall] { [] }
  /// Calls `body` for every stall in the order of their start; holds one at a time.
  public func forEachStall(_ body: (StoredStall) throws -> Void) throws {}
  /// A session's cost, losses and intervals.
  public func health(session: Int64) throws -> StoredHealth { throw StoreError.missing(path: "") }
}

/// How many stalls of one sort a loop had.
public struct StallTotal: Sendable {
  /// The loop's row.
  public var loop: Int64
  /// Span or busy run.
  public var kind: StallKind
  /// Ended, cancelled, fatal or still going on.
  public var state: StallState
  /// How bad.
  public var severity: Severity
  /// How many.
  public var count: Int
  /// Their summed duration.
  public var total: Nanoseconds
}
