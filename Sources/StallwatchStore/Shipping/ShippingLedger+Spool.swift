import StallwatchCore

extension ShippingLedger {
  /// The hash of a name that was put into the spool, and when, in seconds since 1970.
  package typealias SaidName = (hash: Int64, at: UInt32)

  /// Puts batches into the spool and moves the checkpoints to match, in one transaction.
  package func put(
    _ batches: [SpooledBatch], moving checkpoints: [ShippingCheckpoint], saying names: [SaidName] = []
  ) throws(LedgerError) {
    try writing { () throws(SQLiteFailure) in
      for batch in batches { try add(batch) }
      for checkpoint in checkpoints { try put(checkpoint) }
      for name in names {
        statements.addName.bind(name.hash, at: 1)
        statements.addName.bind(Int64(name.at), at: 2)
        try statements.addName.run()
      }
      if !batches.isEmpty { try putVersion() }
    }
    if spool.waiting == 0 { spool.oldest = batches.first?.made }
    spool.waiting += UInt64(batches.count)
    spool.waitingBytes += batches.reduce(0) { $0 + $1.size }
  }

  /// The next batch to be sent after the batch `id`; nil where none waits.
  package func nextBatch(after id: Int64 = 0) throws(LedgerError) -> SpooledBatch? {
    try reporting { () throws(SQLiteFailure) in
      let next = statements.nextBatch
      next.bind(id, at: 1)
      defer { next.reset() }
      return try next.step() ? Self.batch(next.row) : nil
    }
  }

  /// Deletes a batch that was taken.
  package func remove(_ batch: SpooledBatch) throws(LedgerError) {
    try writing { () throws(SQLiteFailure) in
      statements.removeBatch.bind(batch.id, at: 1)
      try statements.removeBatch.run()
      try addCount(1, to: "batches sent")
      try addCount(UInt64(batch.bodyBytes), to: "bytes sent")
      try addCount(batch.rows, to: "rows " + batch.table)
    }
    spool.waiting -= min(1, spool.waiting)
    spool.waitingBytes -= min(batch.size, spool.waitingBytes)
    try noteOldest()
    giveBackRoom()
  }

  /// Sets a batch aside that the destination will never take, with the reason. Then drops batches that are set aside,
  /// detail first and then the oldest, until they take no more than `limit` bytes, and counts the rows for each
  /// session.
  package func reject(_ batch: SpooledBatch, because reason: String, keeping limit: Int) throws(LedgerError) {
    try writing { () throws(SQLiteFailure) in
      statements.rejectBatch.bind(batch.id, at: 1)
      statements.rejectBatch.bind(SQLiteFailure.harmless(reason), at: 2)
      try statements.rejectBatch.run()
      try addCount(1, to: "batches rejected")
      let sum = "SELECT ifnull(sum(size), 0) FROM batches WHERE rejected IS NULL = 0"
      while try connection.firstInteger(sum) ?? 0 > Int64(limit) { try dropOneRejected() }
    }
    spool = try reporting { () throws(SQLiteFailure) in try readSpool() }
  }

  /// Has batches that were set aside tried again: the destination may have changed by now.
  package func retryRejected() throws(LedgerError) {
    guard spool.rejected > 0 else { return }
    try writing { () throws(SQLiteFailure) in
      try connection.run("UPDATE batches SET rejected = NULL WHERE rejected IS NULL = 0")
    }
    spool = try reporting { () throws(SQLiteFailure) in try readSpool() }
  }

  /// When the name was last put into the spool, seconds since 1970; nil where it never was.
  package func saidName(hash: Int64) throws(LedgerError) -> UInt32? {
    try reporting { () throws(SQLiteFailure) in
      statements.findName.bind(hash, at: 1)
      return try statements.findName.firstInteger().map { UInt32(clamping: $0) }
    }
  }

  /// Forgets names that were put into the spool before this moment, seconds since 1970, so that the ledger stays small.
  package func forgetNames(before moment: UInt32) throws(LedgerError) {
    try writing { () throws(SQLiteFailure) in try connection.run("DELETE FROM names WHERE said < \(moment)") }
  }

  /// Adds to a counter, which lasts as long as the ledger.
  package func count(_ name: String, by amount: UInt64 = 1) throws(LedgerError) {
    try writing { () throws(SQLiteFailure) in try addCount(amount, to: name) }
  }

  /// The counters by their names.
  package func counters() throws(LedgerError) -> [String: UInt64] {
    try reporting { () throws(SQLiteFailure) in
      let all = try connection.prepare("SELECT name, value FROM counters")
      var counters: [String: UInt64] = [:]
      while try all.step() {
        var row = all.row
        counters[try row.text()] = try row.number(UInt64.self)
      }
      return counters
    }
  }

  func addCount(_ amount: UInt64, to name: String) throws(SQLiteFailure) {
    statements.addCounter.bind(name, at: 1)
    statements.addCounter.bind(amount, at: 2)
    try statements.addCounter.run()
  }

  func readSpool() throws(SQLiteFailure) -> SpoolState {
    let sums = try connection.prepare(
      "SELECT rejected IS NULL, count(*), sum(size) FROM batches GROUP BY rejected IS NULL")
    var state = SpoolState()
    while try sums.step() {
      var row = sums.row
      if try row.number(UInt8.self) != 0 {
        (state.waiting, state.waitingBytes) = (try row.number(), try row.number())
      } else {
        (state.rejected, state.rejectedBytes) = (try row.number(), try row.number())
      }
    }
    state.oldest = try statements.oldest.firstInteger().map { UInt64(clamping: $0) }
    return state
  }

  private func noteOldest() throws(LedgerError) {
    spool.oldest = try reporting { () throws(SQLiteFailure) in
      try statements.oldest.firstInteger().map { UInt64(clamping: $0) }
    }
  }

  /// Gives the spool's room back to the disk, once nothing waits. A failure does not matter.
  private func giveBackRoom() {
    guard spool.waiting == 0 else { return }
    _ = try? connection.prepare("PRAGMA incremental_vacuum").run()
  }

  private func add(_ batch: SpooledBatch) throws(SQLiteFailure) {
    let add = statements.addBatch
    add.bind(batch.table, at: 1)
    add.bind(batch.columns.joined(separator: ","), at: 2)
    add.bind(Int64(batch.priority.rawValue), at: 3)
    add.bind(batch.rows, at: 4)
    add.bind(Int64(batch.size), at: 5)
    add.bind(batch.made, at: 6)
    let sessions = batch.sessions.sorted { $0.key < $1.key }
    add.bind(sessions.map { "\($0.key):\($0.value)" }.joined(separator: " "), at: 7)
    try add.run()
    statements.addBody.bind(connection.lastInsertedRow, at: 1)
    statements.addBody.bind(batch.body, at: 2)
    try statements.addBody.run()
  }

  private func dropOneRejected() throws(SQLiteFailure) {
    let next = try connection.prepare(
      "SELECT id, table_name, sessions FROM batches WHERE rejected IS NULL = 0 ORDER BY priority DESC, id LIMIT 1")
    guard try next.step() else { throw .badContents("what is set aside does not add up") }
    var row = next.row
    let (id, table): (Int64, String) = (try row.number(), try row.text())
    let sessions = try Self.sessions(try row.text())
    next.reset()
    statements.removeBatch.bind(id, at: 1)
    try statements.removeBatch.run()
    for (session, rows) in sessions { try addLeftOut(rows, table, session: session) }
  }

  private static func batch(_ columns: Row) throws(SQLiteFailure) -> SpooledBatch {
    var row = columns
    let (id, table): (Int64, String) = (try row.number(), try row.text())
    let names = try row.text().split(separator: ",").map(String.init)
    guard let priority = SpooledBatch.Priority(rawValue: try row.number()) else {
      throw .badContents("column priority is out of range")
    }
    let (rows, made): (UInt64, UInt64) = (try row.number(), try row.number())
    let sessions = try sessions(try row.text())
    guard let body = try row.bytesIfAny({ bytes throws(SQLiteFailure) in Array(bytes) }) else {
      throw .badContents("column body is NULL")
    }
    var batch = SpooledBatch(
      table: table, columns: names, priority: priority, rows: rows, body: body, made: made, sessions: sessions)
    batch.id = id
    return batch
  }

  private static func sessions(_ text: String) throws(SQLiteFailure) -> [UInt64: UInt64] {
    var sessions: [UInt64: UInt64] = [:]
    for part in text.split(separator: " ") {
      let parts = part.split(separator: ":")
      guard parts.count == 2, let session = UInt64(parts[0]), let rows = UInt64(parts[1]) else {
        throw .badContents("column sessions is no list")
      }
      sessions[session] = rows
    }
    return sessions
  }
}
