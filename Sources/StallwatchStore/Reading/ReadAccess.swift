import CSQLite
import StallwatchCore

/// A reader's hold on a store: one connection and one snapshot. It changes nothing and leaves nothing behind.
///
/// - No log lies beside the file: no connection has the store open, or its writer has not yet begun. The reader reads
///   the file as it is (`immutable`), without a lock, so that it does not hold up a recording that begins meanwhile. If
///   one begins, ``checkUndisturbed()`` says so: what was read since may be a mixture.
/// - A log and its shared memory are there: a writer writes the store, or died. SQLite's own rules for readers hold.
/// - Otherwise (a log without shared memory, a half-done journal, a folder that cannot be written) it reads a private
///   copy.
final class ReadAccess {
  /// The path that the user gave.
  let path: String
  let connection: Connection
  /// One reading of JSON for all columns: it compiles its statements once.
  private(set) lazy var json = JSONReading(connection)
  /// The schema's version, this code's or an older one.
  let version: Int
  /// The live regions beside the store, by session, as they were before the reader fixed its view of the store; nil for
  /// one that cannot be read.
  let regions: [Int64: LiveRegionFile?]
  private let realPath: String
  private var knownSampleReading: SampleReading?
  /// The file's status when the reader opened it as unchanging; nil if it did not.
  private let stillness: FileStatus?
  /// How long to wait while another process recovers the log.
  private static let patience = 2 * Nanoseconds.second

  init(path: String) throws(StoreError) {
    self.path = path
    realPath = try StorePath.existing(path)
    let status = FileStatus(path: realPath, followingLinks: false)
    try Self.checkCompanions(realPath: realPath, path: path)
    let isAlone = !StorePath.exists(realPath + "-wal") && !StorePath.exists(realPath + "-journal")
    try Self.checkHeader(realPath: realPath, path: path, isAlone: isAlone)
    regions = LiveRegions.contents(besides: realPath)
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

  /// Runs a query. Throws the query's failure as a ``StoreError``, and ``StoreError/recordingBegan(path:)``.
  func read<Result>(_ body: (Connection) throws(SQLiteFailure) -> Result) throws(StoreError) -> Result {
    let result: Result
    do {
      result = try body(connection)
    } catch {
      // Seeming damage may be a file in the middle of a change.
      try checkUndisturbed()
      throw error.storeError(path: path)
    }
    try checkUndisturbed()
    return result
  }

  /// One reading for all stalls: it compiles its statements, and reads stacks that stalls share, once. For a store of
  /// version 2 or later.
  func sampleReading() throws(SQLiteFailure) -> SampleReading {
    if let knownSampleReading { return knownSampleReading }
    let reading = try SampleReading(connection)
    knownSampleReading = reading
    return reading
  }

  /// Throws ``StoreError/recordingBegan(path:)`` if one began in a store opened as unchanging.
  func checkUndisturbed() throws(StoreError) {
    guard let stillness else { return }
    if FileStatus(path: realPath, followingLinks: false) != stillness || StorePath.exists(realPath + "-wal") {
      throw .recordingBegan(path: path)
    }
  }

  /// SQLite opens the files beside a store without a check: a pipe there would block it for ever.
  private static func checkCompanions(realPath: String, path: String) throws(StoreError) {
    for suffix in ["-wal", "-shm", "-journal"] {
      if let what = FileStatus(path: realPath + suffix, followingLinks: false)?.obstacle {
        throw .damaged(path: path, detail: "the \(suffix) beside it is \(what), not a file")
      }
    }
  }

  private static func checkHeader(realPath: String, path: String, isAlone: Bool) throws(StoreError) {
    let header = try reportingFailures(of: path) { () throws(SQLiteFailure) in try StoreHeader(realPath: realPath) }
    if header.isEmpty { throw .empty(path: path) }
    if !header.isStore { throw .foreign(path: path) }
    if isAlone && header.isCutShort { throw .damaged(path: path, detail: "it is cut short") }
  }

  /// A connection to the store in place; nil if SQLite would have to make or repair a file for it.
  private static func inPlace(_ realPath: String) -> Connection? {
    if StorePath.exists(realPath + "-wal"), !StorePath.isWritable(realPath + "-shm") { return nil }
    do {
      let connection = try Connection(
        name: DatabaseURI.readOnly(realPath), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      connection.waitForLocks(patience)
      _ = try connection.firstInteger("SELECT count(*) FROM sqlite_schema")
      return connection
    } catch {
      // For example a journal that must be rolled back first. Damage shows again in the copy, and is reported there.
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
      // The header's promise was undone: the writer died in its first transaction.
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
