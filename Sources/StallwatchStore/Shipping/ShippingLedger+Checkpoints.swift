extension ShippingLedger {
  /// How far the session was put into the spool; nil where it was not.
  package func checkpoint(session: UInt64) throws(LedgerError) -> ShippingCheckpoint? {
    try reporting { () throws(SQLiteFailure) in
      let find = statements.findCheckpoint
      find.bind(Int64(bitPattern: session), at: 1)
      defer { find.reset() }
      return try find.step() ? Self.checkpoint(find.row) : nil
    }
  }

  /// The checkpoints of sessions that were last seen in the store at `store`.
  package func checkpoints(store: String) throws(LedgerError) -> [ShippingCheckpoint] {
    try reporting { () throws(SQLiteFailure) in
      let find = statements.checkpointsOfStore
      find.bind(store, at: 1)
      defer { find.reset() }
      var found: [ShippingCheckpoint] = []
      while try find.step() { found.append(try Self.checkpoint(find.row)) }
      return found
    }
  }

  /// The stores of all checkpoints.
  package func stores() throws(LedgerError) -> [String] {
    try reporting { () throws(SQLiteFailure) in
      let find = try connection.prepare("SELECT DISTINCT store FROM checkpoints ORDER BY store")
      var found: [String] = []
      while try find.step() {
        var row = find.row
        found.append(try row.text())
      }
      return found
    }
  }

  /// Forgets a session that is gone.
  package func forget(session: UInt64) throws(LedgerError) {
    try writing { () throws(SQLiteFailure) in
      statements.removeCheckpoint.bind(Int64(bitPattern: session), at: 1)
      try statements.removeCheckpoint.run()
      try connection.run("DELETE FROM left_out WHERE session = \(Int64(bitPattern: session))")
    }
  }

  /// Moves checkpoints without new batches.
  package func move(_ checkpoints: [ShippingCheckpoint]) throws(LedgerError) {
    try writing { () throws(SQLiteFailure) in
      for checkpoint in checkpoints { try put(checkpoint) }
    }
  }

  /// Counts rows that were gone before they could be sent, and moves the checkpoint past them.
  package func leaveOut(
    _ count: UInt64, of what: String, moving checkpoint: ShippingCheckpoint
  ) throws(LedgerError) {
    try writing { () throws(SQLiteFailure) in
      try addLeftOut(count, what, session: checkpoint.session)
      try put(checkpoint)
    }
  }

  /// How many rows of the session will never be sent, by kind.
  package func leftOut(session: UInt64) throws(LedgerError) -> [(what: String, count: UInt64)] {
    try reporting { () throws(SQLiteFailure) in
      let find = statements.findLeftOut
      find.bind(Int64(bitPattern: session), at: 1)
      defer { find.reset() }
      var found: [(what: String, count: UInt64)] = []
      while try find.step() {
        var row = find.row
        found.append((try row.text(), try row.number()))
      }
      return found
    }
  }

  /// Counts rows that will never be sent, and has the session's own row made again, which contains the count.
  func addLeftOut(_ count: UInt64, _ what: String, session: UInt64) throws(SQLiteFailure) {
    guard count > 0 else { return }
    let add = statements.addLeftOut
    add.bind(Int64(bitPattern: session), at: 1)
    add.bind(what, at: 2)
    add.bind(count, at: 3)
    try add.run()
    try addCount(count, to: "dropped " + what)
    try connection.run("UPDATE checkpoints SET sign = '' WHERE session = \(Int64(bitPattern: session))")
  }

  func put(_ checkpoint: ShippingCheckpoint) throws(SQLiteFailure) {
    let put = statements.putCheckpoint
    put.bind(Int64(bitPattern: checkpoint.session), at: 1)
    put.bind(checkpoint.store, at: 2)
    put.bind(checkpoint.stall, at: 3)
    put.bind(checkpoint.readingStall, at: 4)
    put.bind(checkpoint.readingMoment, at: 5)
    put.bind(checkpoint.readingTaken, at: 6)
    put.bind(checkpoint.open.map { "\($0.number)@\($0.hour)" }.joined(separator: " "), at: 7)
    put.bind(Int64(checkpoint.hour), at: 8)
    put.bind(checkpoint.isFinal ? 1 : 0 as Int64, at: 9)
    put.bind(checkpoint.sign, at: 10)
    put.bind(checkpoint.lastSeen, at: 11)
    put.bind(checkpoint.seen, at: 12)
    put.bind(checkpoint.removed, at: 13)
    try put.run()
  }

  private static func checkpoint(_ columns: Row) throws(SQLiteFailure) -> ShippingCheckpoint {
    var row = columns
    let session: Int64 = try row.number()
    var checkpoint = ShippingCheckpoint(session: UInt64(bitPattern: session), store: try row.text())
    checkpoint.stall = try row.number()
    checkpoint.readingStall = try row.number()
    checkpoint.readingMoment = try row.number()
    checkpoint.readingTaken = try row.number()
    for part in try row.text().split(separator: " ") {
      let parts = part.split(separator: "@")
      guard parts.count == 2, let number = UInt64(parts[0]), let hour = UInt32(parts[1]) else {
        throw .badContents("column open is no list of stalls")
      }
      checkpoint.open.append(ShippingCheckpoint.Open(number: number, hour: hour))
    }
    checkpoint.hour = try row.number()
    checkpoint.isFinal = try row.number(UInt8.self) != 0
    checkpoint.sign = try row.text()
    checkpoint.lastSeen = try row.number()
    checkpoint.seen = try row.number()
    checkpoint.removed = try row.number()
    return checkpoint
  }
}
