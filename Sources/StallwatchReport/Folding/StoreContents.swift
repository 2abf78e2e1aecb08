import StallwatchStore

/// What a report is built from. A store's reader is one; a test builds its own by hand.
public protocol StoreContents {
  /// All sessions, oldest first.
  func sessions() throws -> [StoredSession]
  /// The loops of a session, in the order in which they were seen.
  func loops(session: Int64) throws -> [StoredLoop]
  /// The modes of a loop with their profiles.
  func modes(loop: Int64) throws -> [StoredMode]
  /// How many stalls there are of each sort.
  func stallTotals() throws -> [StallTotal]
  /// The longest stalls, longest first, without cancelled ones.
  func worstStalls(limit: Int) throws -> [StoredStall]
  /// Calls `body` for every stall in the order of their start.
  func forEachStall(_ body: (StoredStall) throws -> Void) throws
  /// A session's cost, losses and intervals.
  func health(session: Int64) throws -> StoredHealth
}

extension StoreReader: StoreContents {}
