import StallwatchCore

/// A store's writer without a thread, driven by the clock of its records and a wall clock that the caller moves: for
/// simulations, in which a week passes in a minute. For one thread at a time.
package final class ManualRecorder {
  private let writer: StoreWriter
  private let path: String
  private let session: SessionRecord

  /// Opens the store at `path` or makes one, and begins a session. Throws ``StoreError``.
  package init(path: String, session: SessionRecord, retention: RetentionLimits?) throws(StoreError) {
    var configuration = StoreRecorder.Configuration()
    configuration.retention = retention
    writer = try StoreWriter(path: path, session: session, configuration: configuration)
    (self.path, self.session) = (path, session)
  }

  /// Takes records and writes what waits. When windows are full, brings figures in and keeps the store within its
  /// limits, as a recorder's thread does. Throws ``StoreError``.
  package func take(_ records: [Record]) throws(StoreError) {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in
      writer.take(records)
      let isClosing = writer.isClosingDue
      if isClosing || writer.hasWaiting { try writer.commit(closing: isClosing ? .fullWindows : nil, trouble: nil) }
      guard isClosing else { return }
      try writer.beginTending(
        wallNow: session.startedAt.saturatingAdd(writer.state.lastSeenNs.since(session.startedNs)))
      for _ in 0..<TendingTurn.stepsAtATime {
        guard try writer.tend() else { break }
      }
    }
  }

  /// Ends the session in order, and leaves a single file. Throws ``StoreError``.
  package func close(endedNs: Nanoseconds) throws(StoreError) {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in
      try writer.commit(closing: .full, trouble: nil)
      try writer.finish(endedNs: endedNs, trouble: nil)
    }
    writer.fold()
  }

  /// The bytes of the pages that hold something. Throws ``StoreError``.
  package func used() throws(StoreError) -> Int64 {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in try StoreSize(writer.connection).used() }
  }
}
