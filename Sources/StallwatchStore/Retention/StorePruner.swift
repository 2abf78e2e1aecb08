import CSQLite
import StallwatchCore

/// Brings a store within limits of age and size at once, in small transactions: a death in the middle leaves a store
/// that is whole, with a part of the work done. For one thread at a time.
package final class StorePruner {
  /// What a pruning did.
  package struct Outcome: Sendable, Equatable {
    /// What was removed, of all sessions together, by kind and reason.
    package var removed: [Removed]
    /// The bytes that hold something, before and after.
    package var usedBefore: Int64
    package var usedAfter: Int64
    /// Sessions left alone because they are still being recorded: their own writers prune them.
    package var running: Int
  }

  private let path: String
  private let connection: Connection
  private let tending: StoreTending
  private let size: StoreSize
  private let isRehearsal: Bool

  /// Opens the store at `path`, brings it up to date and completes what dead processes left in it. With `rehearsing`,
  /// works on a copy of it that vanishes. Throws ``StoreError``; makes no store where there is none.
  package init(
    _ path: String, limits: RetentionLimits, rehearsing: Bool = false, busyTimeout: Nanoseconds = 2 * .second
  ) throws(StoreError) {
    (self.path, isRehearsal) = (path, rehearsing)
    if rehearsing {
      connection = try PrivateCopy.forChanges(try StorePath.existing(path), shown: path)
    } else {
      connection = try WritableStore.open(path, creating: false, busyTimeout: busyTimeout)
    }
    (tending, size) = try reportingFailures(of: path) { [connection] () throws(SQLiteFailure) in
      if !rehearsing { _ = WritableStore.useLog(connection) }
      let regions = try connection.write { () throws(SQLiteFailure) in try DeadSessions.finalise(in: connection) }
      if !rehearsing { LiveRegion.remove(regions) }
      return (try StoreTending(connection, limits: limits), try StoreSize(connection))
    }
  }

  /// Removes what the limits do not allow.
  ///
  /// - Parameters:
  ///   - wallNow: Nanoseconds since 1970; ages are counted from here.
  ///   - progress: Called after each transaction with the bytes that still hold something.
  package func run(wallNow: Nanoseconds, progress: (Int64) -> Void = { _ in }) throws(StoreError) -> Outcome {
    let outcome = try reportingFailures(of: path) { () throws(SQLiteFailure) in
      let before = try size.used()
      let running = Int(try connection.firstInteger("SELECT count(*) FROM sessions WHERE ended = 'running'") ?? 0)
      var isDone = false
      while !isDone {
        // A turn finds some of the sessions that are too old; the last one finds nothing to do.
        isDone = true
        try tending.begin(ownNow: 0, wallNow: wallNow)
        while try tending.step() {
          isDone = false
          progress(try size.used())
          if running > 0, !isRehearsal { sqlite3_sleep(StoreTending.pauseMilliseconds) }
        }
      }
      try UnusedNames.remove(from: connection)
      return Outcome(
        removed: tending.removed, usedBefore: before, usedAfter: try size.used(), running: running)
    }
    if !isRehearsal { WritableStore.fold(connection) }
    return outcome
  }
}
