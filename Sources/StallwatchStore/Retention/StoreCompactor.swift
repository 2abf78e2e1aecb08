import CSQLite
import StallwatchCore

/// Gives the free pages of a store back to the disk.
///
/// SQLite writes the store anew within the same file, under a journal: a death in the middle leaves the journal, from
/// which the next writer restores the file, and readers a copy of it. The file keeps its owner and mode.
package enum StoreCompactor {
  /// The file's bytes before and after.
  package typealias Sizes = (before: Int64, after: Int64)

  /// Compacts the store at `path`. Throws ``StoreError``, also where somebody writes or reads it; then nothing has
  /// changed.
  package static func compact(_ path: String) throws(StoreError) -> Sizes {
    let connection = try WritableStore.open(path, creating: false, busyTimeout: 0)
    let regions = try reportingFailures(of: path) { () throws(SQLiteFailure) in
      try connection.write { () throws(SQLiteFailure) in try DeadSessions.finalise(in: connection) }
    }
    LiveRegion.remove(regions)
    let running = try reportingFailures(of: path) { () throws(SQLiteFailure) in
      try connection.firstInteger("SELECT pid FROM sessions WHERE ended = 'running' LIMIT 1")
    }
    if let running {
      throw .failed(
        path: path, detail: "process \(running) is recording into it; compact it when the recording has ended")
    }
    let before = FileStatus(path: connection.path, followingLinks: false)?.size ?? 0
    WritableStore.fold(connection)
    return try reportingFailures(of: path) { () throws(SQLiteFailure) in
      // Leaving the log needs the store alone: whoever has it open would otherwise be surprised.
      guard try connection.firstText("PRAGMA journal_mode") == "delete" else {
        throw SQLiteFailure(code: SQLITE_BUSY, message: "database is locked")
      }
      try UnusedNames.remove(from: connection)
      try connection.run("PRAGMA synchronous = FULL; VACUUM")
      return (before, FileStatus(path: connection.path, followingLinks: false)?.size ?? 0)
    }
  }
}
