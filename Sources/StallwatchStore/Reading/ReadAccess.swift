import CSQLite
import StallwatchCore

/// A reader's hold on a store: one connection, one snapshot, nothing changed and nothing left behind.
///
/// - With no log beside the file nobody has the store open, or its writer has not yet begun: the file is read as it is
///   (`immutable`), without a lock, so that a recording that begins meanwhile is not held up. If one does begin,
///   ``checkUndisturbed()`` says so: what was read since may be a mixture.
/// - With a log and its shared memory the store is being written, or its writer died: SQLite's own rules for readers
///   hold.
/// - Otherwise (a log without shared memory, a half-done journal, a folder that cannot be written) a private copy is
///   read.
final class ReadAccess {
  /// The path as the user gave it.
  let path: String
  let connection: Connection
  /// The schema's version, of this code's or older.
  let version: Int
  private let realPath: String
  private var knownSampleReading: SampleReading?
  /// What the file was like when it was opened as unchanging; nil when it was not.
  private let stillness: FileStatus?
  /// How long to wait for another process that is just recovering the log.
  private static let patience = 2 * Nanoseconds.second

  init(path: String) throws(StoreError) {
    self.path = path
    realPath = try StorePath.existing(path)
    let status = FileStatus(path: realPath, followingLinks: false)
    try Self.checkCompanions(realPath: realPath, path: path)
    let isAlone = !StorePath.exists(realPath + "-wal") && !StorePath.exists(realPath + "-journal")
    try Self.checkHeader(realPath: realPath, path: path, isAlone: isAlone)
    if isAlone {
      stillness = status
      connection = try reportingFailures(of: path) { [realPath] () throws(SQLiteFailure) in
        try Connection(name: DatabaseURI.immutable(realPath), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      }
    } else if let inPlace = Self.inPlace(realPath) {
      stillness = nil
      connection = inPlace
    } else {
      stillness = nil
      connection = try PrivateCopy.open(realPath, shown: path)
    }
    let log = FileStatus(path: realPath + "-wal", followingLinks: false)?.size ?? 0
    connection.limitSteps(forSize: (status?.size ?? 0) + log)
    try reportingFailures(of: path) { [connection] () throws(SQLiteFailure) in
      try Self.fixSnapshot(connection)
    }
    version = try Self.checkVersion(connection, path: path)
    try checkUndisturbed()
  }

  /// Runs a query.
  func read<Result>(_ body: (Connection) throws(SQLiteFailure) -> Result) throws(StoreError) -> Result {
    let result: Result
    do {
      result = try body(connection)
    } catch {
      // What looks like damage may be a file in the middle of a change.
      try checkUndisturbed()
      throw error.storeError(path: path)
    }
    try checkUndisturbed()
    return result
  }

  /// One for all stalls: statements are compiled, and stacks that stalls share are read, once. For a store of version 2 or
  /// later.
  func sampleReading() throws(SQLiteFailure) -> SampleReading {
    if let knownSampleReading { return knownSampleReading }
    let reading = try SampleReading(connection)
    knownSampleReading = reading
    return reading
  }

  /// Throws ``StoreError/recordingBegan(path:)`` if one did, in a store that was taken for unchanging.
  func checkUndisturbed() throws(StoreError) {
    guard let stillness else { return }
    if FileStatus(path: realPath, followingLinks: false) != stillness || StorePath.exists(realPath + "-wal") {
      throw .recordingBegan(path: path)
    }
  }

  /// SQLite opens what lies beside a store without a look: a pipe there would hold it up for ever.
  private static func checkCompanions(realPath: String, path: String) throws(StoreError) {
    for suffix in ["-wal", "-shm", "-journal"] {
      if let what = FileStatus(path: realPath + suffix, followingLinks: false)?.obstacle {
        throw .damaged(path: path, detail: "what stands beside it as \(suffix) is \(what), not a file")
      }
    }
  }

  private static func checkHeader(realPath: String, path: String, isAlone: Bool) throws(StoreError) {
    let header = try reportingFailures(of: path) { () throws(SQLiteFailure) in try StoreHeader(realPath: realPath) }
    if header.isEmpty { throw .empty(path: path) }
    if !header.isStore { throw .foreign(path: path) }
    if isAlone && header.isCutShort { throw .damaged(path: path, detail: "it is cut short") }
  }

  /// A connection to the store where it lies; nil if SQLite would have to make or mend a file for it.
  private static func inPlace(_ realPath: String) -> Connection? {
    if StorePath.exists(realPath + "-wal"), !StorePath.isWritable(realPath + "-shm") { return nil }
    do {
      let connection = try Connection(
        name: DatabaseURI.readOnly(realPath), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      connection.waitForLocks(patience)
      _ = try connection.firstInteger("SELECT count(*) FROM sqlite_schema")
      return connection
    } catch {
      // A journal that must be rolled back first, for one. Damage is met again in the copy, and told there.
      return nil
    }
  }

  private static func fixSnapshot(_ connection: Connection) throws(SQLiteFailure) {
    connection.waitForLocks(patience)
    try connection.run("BEGIN")
    _ = try connection.firstInteger("SELECT count(*) FROM sqlite_schema")
  }

  private static func checkVersion(_ connection: Connection, path: String) throws(StoreError) -> Int {
    let application = try reportingFailures(of: path) { () throws(SQLiteFailure) in
      try connection.firstInteger("PRAGMA application_id") ?? 0
    }
    guard application == Schema.applicationID else {
      // What its header promised was undone: its writer died in its first transaction.
      let pages = try reportingFailures(of: path) { () throws(SQLiteFailure) in
        try connection.firstInteger("PRAGMA page_count") ?? 0
      }
      throw pages == 0 ? .empty(path: path) : .foreign(path: path)
    }
    let version = try Schema.checkedVersion(of: connection, path: path)
    guard version > 0 else { throw .damaged(path: path, detail: "it has no tables") }
    return version
  }
}
