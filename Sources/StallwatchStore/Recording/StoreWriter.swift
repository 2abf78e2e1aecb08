import CSQLite
import StallwatchCore
import StallwatchLibc

/// Writes one session's records into a store. For the writer's thread.
final class StoreWriter {
  let session: Int64
  let statements: WriterStatements
  var state: WriterState
  /// The outcomes of the stalls in the batch that is being written.
  var outcomes = StallOutcomes()
  /// The rows of stacks seen lately. 4,096 suffice a busy program for some minutes, and take about 2 MB.
  var stacks = RecentlyUsed<StackKey, Int64>(capacity: 4_096)
  let connection: Connection
  /// The file that this writes; nil where its status was unknown.
  private let file: FileStatus?
  private let startedNs: Nanoseconds
  private let windowLength: Nanoseconds
  private var isLogged: Bool

  /// Opens or makes the store, completes what dead processes left in it, and inserts the session. Throws
  /// ``StoreError/busy(path:)`` when another connection has it locked for the configuration's `busyTimeout`.
  init(path: String, session record: SessionRecord, configuration: StoreRecorder.Configuration) throws(StoreError) {
    connection = try WritableStore.open(
      path, creating: true, busyTimeout: configuration.busyTimeout, maximumSize: configuration.maximumSize,
      fileSystem: StoreFileSystem.name)
    file = FileStatus(path: connection.path, followingLinks: false)
    startedNs = record.startedNs
    windowLength = max(configuration.windowLength, 1)
    state = WriterState(lastSeenNs: record.startedNs)
    (session, statements, isLogged) = try reportingFailures(of: path) { [connection] () throws(SQLiteFailure) in
      let isLogged = WritableStore.useLog(connection)
      let row = try connection.write { () throws(SQLiteFailure) in
        try DeadSessions.finalise(in: connection, image: ProgramImage(beginning: record))
        return try Self.insert(record, windowLength: configuration.windowLength, into: connection)
      }
      return (row, try WriterStatements(connection), isLogged)
    }
  }

  /// Writes a batch in one transaction: all of it, or nothing if this throws.
  func write(_ batch: [Record], trouble: String?) throws(SQLiteFailure) {
    // A reader of the old kind of journal may have prevented the use of the log.
    if !isLogged { isLogged = WritableStore.useLog(connection) }
    let before = state
    do {
      try connection.write { () throws(SQLiteFailure) in
        outcomes = StallOutcomes(of: batch)
        for record in batch { try keep(record) }
        try tellCauses()
        try touchSession(trouble: trouble)
      }
    } catch {
      state = before
      // The rows of this transaction do not exist.
      stacks.removeAll()
      throw error
    }
  }

  /// Marks the session as ended in order. Changes one row in place, for which even a full disk has room.
  func finish(endedNs: Nanoseconds, trouble: String?) throws(SQLiteFailure) {
    state.lastSeenNs = max(state.lastSeenNs, endedNs)
    try connection.write { () throws(SQLiteFailure) in
      try touchSession(trouble: trouble)
      try connection.run("UPDATE sessions SET ended = 'clean' WHERE id = \(session)")
    }
  }

  /// Cancels the stalls whose ends were lost: their lengths are unknown. A reader treats them so in any case.
  func cancelOpenStalls() throws(SQLiteFailure) {
    try connection.write { () throws(SQLiteFailure) in
      for stall in state.openStalls.values {
        try StallCompletion(
          row: stall.row, state: .cancelled, duration: state.lastSeenNs.since(stall.startedNs),
          reason: StallCompletion.endUnknown
        ).write(by: statements.completeStall)
      }
    }
  }

  /// Frees room on a full disk.
  func makeRoom() { WritableStore.rewindLog(connection) }

  /// Whether the written file still stands at its path; also true where the system does not report it.
  var isInPlace: Bool {
    guard let file else { return true }
    guard let now = FileStatus(path: connection.path, followingLinks: false) else { return errno != ENOENT }
    return now.isSameFile(as: file)
  }

  /// Leaves a single file if no other connection has the store open. The writer cannot be used afterwards.
  ///
  /// If another store has taken its place meanwhile, the log beside that belongs to the other store.
  func fold() {
    if !isInPlace, FileStatus(path: connection.path, followingLinks: false) != nil {
      connection.leaveLog()
    } else {
      WritableStore.fold(connection)
    }
  }

  /// The number of the row inserted last.
  var insertedRow: Int64 { connection.lastInsertedRow }

  /// The beginning of the window in which `moment` lies, on the monotonic clock.
  func windowStart(of moment: Nanoseconds) -> Nanoseconds {
    startedNs + moment.since(startedNs) / windowLength * windowLength
  }

  private func touchSession(trouble: String?) throws(SQLiteFailure) {
    let touch = statements.touchSession
    touch.bind(session, at: 1)
    touch.bind(state.lastSeenNs, at: 2)
    touch.bind(trouble, at: 3)
    try touch.run()
  }

  private static func insert(
    _ session: SessionRecord, windowLength: Nanoseconds, into connection: Connection
  ) throws(SQLiteFailure) -> Int64 {
    let insert = try connection.prepare(
      """
      INSERT INTO sessions (pid, process_start, boot_id, host, command, started_at, started_ns, threshold_ns, window_ns,
        origin, platform, last_seen_ns)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?7)
      """)
    insert.bind(Int64(session.process.pid), at: 1)
    insert.bind(session.process.startTime, at: 2)
    insert.bind(session.process.bootID, at: 3)
    insert.bind(session.process.host, at: 4)
    insert.bind(JSONText.array(session.command), at: 5)
    insert.bind(session.startedAt, at: 6)
    insert.bind(session.startedNs, at: 7)
    insert.bind(session.threshold, at: 8)
    insert.bind(windowLength, at: 9)
    insert.bind(session.origin, at: 10)
    insert.bind(session.platform, at: 11)
    try insert.run()
    return connection.lastInsertedRow
  }
}
