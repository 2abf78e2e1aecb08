import CSQLite
import StallwatchCore

/// Writes names of addresses into a store, in small transactions: a death in the middle leaves a store that is whole,
/// with a part of its addresses named. Works beside processes that record into the store. For one thread at a time.
package final class StoreNamer {
  /// A session whose addresses can be named.
  package struct Session: Sendable, Equatable {
    /// Its row.
    package var id: Int64
    /// The rows of its stacks.
    package var stacks: [Int64]
    /// Addresses outside of stacks: code that waited, and what made timers.
    package var codes: [UInt64]
    /// The images of its process.
    package var images: [ImageRecord]
  }

  /// Names to be written in one transaction.
  package struct Batch: Sendable {
    /// What files said about addresses: the image's build-id, the place in it, and the answer.
    package var answers: [(buildID: String, offset: UInt64, answer: ImageNames.Answer)] = []
    /// The functions that stacks stand for, by the stack's row.
    package var functions: [(stack: Int64, function: StackFunction)] = []

    package init() {}

    /// Whether it is large enough for a transaction of some milliseconds.
    package var isFull: Bool { answers.count + functions.count >= StoreTending.rowsAtATime }
    package var isEmpty: Bool { answers.isEmpty && functions.isEmpty }
  }

  private let path: String
  private let connection: Connection
  private let statements: NameStatements
  private let findFrames: Statement

  /// Opens the store at `path`, brings it up to date and completes what dead processes left in it. With `checking`,
  /// reads all of it first, so that nothing of a damaged store is changed. Throws ``StoreError``; makes no store where
  /// there is none.
  package init(_ path: String, checking: Bool, busyTimeout: Nanoseconds = 2 * .second) throws {
    self.path = path
    if checking { try StoreReader.undisturbed { try StoreCheck.readAll(StoreReader(path: path)) } }
    connection = try WritableStore.open(path, creating: false, busyTimeout: busyTimeout)
    (statements, findFrames) = try reportingFailures(of: path) { [connection] () throws(SQLiteFailure) in
      _ = WritableStore.useLog(connection)
      let regions = try connection.write { () throws(SQLiteFailure) in try DeadSessions.finalise(in: connection) }
      LiveRegion.remove(regions)
      return (
        try NameStatements(connection), try connection.prepare("SELECT frames FROM stacks WHERE id = ?1")
      )
    }
  }

  /// The rows of all sessions, oldest first.
  package func sessions() throws(StoreError) -> [Int64] {
    try column("SELECT id FROM sessions ORDER BY started_at, id")
  }

  /// What the session in this row has to be named.
  package func session(_ id: Int64) throws(StoreError) -> Session {
    let stacks = try column("SELECT id FROM stacks WHERE session = \(id)")
    let codes = try column(Self.codes(session: "\(id)"))
    let images = try reportingFailures(of: path) { () throws(SQLiteFailure) in
      try ImageRecord.all(session: id, in: connection)
    }
    return Session(id: id, stacks: stacks, codes: codes.map(UInt64.init(bitPattern:)), images: images)
  }

  /// The query for the addresses of a session outside of stacks. The byte before a return address belongs to the call
  /// that made the timer.
  static func codes(session: String) -> String {
    """
    SELECT waiter FROM stalls WHERE session = \(session) AND waiter IS NOT NULL
    UNION SELECT origin_address - 1 FROM timers WHERE session = \(session) AND origin_address <> 0
    """
  }

  /// How many stacks these sessions have.
  package func stackCount(sessions: [Int64]) throws(StoreError) -> Int {
    var count: Int64 = 0
    for session in sessions {
      count += try column("SELECT count(*) FROM stacks WHERE session = \(session)").first ?? 0
    }
    return Int(count)
  }

  /// The addresses of the stack in this row, leaf first; none if it is gone.
  package func frames(ofStack id: Int64) throws(StoreError) -> [UInt64] {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in
      findFrames.bind(id, at: 1)
      defer { findFrames.reset() }
      guard try findFrames.step() else { return [] }
      var row = findFrames.row
      return try row.stack()
    }
  }

  /// What the store knows of the addresses of images with this build-id.
  package func names(buildID: String) throws(StoreError) -> ImageNames {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in try StoredNames.read(buildID, in: connection) }
  }

  /// Writes names in one transaction. Returns of how many addresses the store had none, or said less.
  @discardableResult
  package func write(_ batch: Batch) throws(StoreError) -> Int {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in
      let count = try connection.write { () throws(SQLiteFailure) in
        var count = 0
        for (buildID, offset, answer) in batch.answers {
          if try statements.put(answer, at: offset, of: buildID) { count += 1 }
        }
        for (stack, function) in batch.functions { try statements.put(function, of: stack) }
        return count
      }
      if try isRecording() { sqlite3_sleep(StoreTending.pauseMilliseconds) }
      return count
    }
  }

  /// Removes names of images that no session has any more, some at a time.
  package func removeUnusedImages() throws(StoreError) {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in try UnusedNames.removeImages(from: connection) }
  }

  /// Removes names that nothing in the store needs any more.
  package func removeUnused() throws(StoreError) {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in try UnusedNames.remove(from: connection) }
  }

  /// Leaves the store as a single file if nobody else has it open.
  package func close() { WritableStore.fold(connection) }

  private func isRecording() throws(SQLiteFailure) -> Bool {
    try connection.firstInteger("SELECT 1 FROM sessions WHERE ended = 'running' LIMIT 1") != nil
  }

  private func column(_ sql: String) throws(StoreError) -> [Int64] {
    try reportingFailures(of: path) { () throws(SQLiteFailure) in
      let statement = try connection.prepare(sql)
      var values: [Int64] = []
      while try statement.step() {
        var row = statement.row
        values.append(try row.number())
      }
      return values
    }
  }
}
