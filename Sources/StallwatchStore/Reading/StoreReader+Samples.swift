import StallwatchCore

extension StoreReader {
  /// The samples of the stall in that row, in the order of time; none where it was not sampled or is not there.
  public func samples(stall: Int64) throws -> [StackSample] {
    guard hasSamples else { return [] }
    return try access.read { _ throws(SQLiteFailure) in try access.sampleReading().samples(of: stall) }
  }

  /// How the watched time of the stall in that row divides; nil where that is not known or the stall is not there.
  public func cause(stall: Int64) throws -> StallCause? {
    guard hasSamples else { return nil }
    return try access.read { connection throws(SQLiteFailure) in
      let columns = StallCause.columns(version: access.version)
      let statement = try connection.prepare("SELECT \(columns) FROM stalls WHERE id = ?1")
      statement.bind(stall, at: 1)
      guard try statement.step() else { return nil }
      var row = statement.row
      return try StallCause(&row)
    }
  }

  /// Calls `body` for every stall that was sampled and all its samples, session by session, in the order of their
  /// start. Holds one stall at a time, and the stacks that the last few shared. Throws what `body` throws, too.
  public func forEachSampledStall(_ body: (StoredStall, [StackSample]) throws -> Void) throws {
    guard hasSamples else { return }
    let statement = try prepare(queries.sampled)
    defer { statement.reset() }
    let reading = try access.read { _ throws(SQLiteFailure) in try access.sampleReading() }
    while let stall = try next(statement) {
      let samples = try reportingFailures(of: access.path) { () throws(SQLiteFailure) in
        try reading.samples(of: stall.id)
      }
      try body(stall, samples)
    }
    try access.checkUndisturbed()
  }

  /// The images of a session's process, in the order of being seen: where two overlap, the later one took the place of
  /// the earlier.
  public func images(session: Int64) throws -> [ImageRecord] {
    guard hasSamples else { return [] }
    return try access.read { connection throws(SQLiteFailure) in
      try ImageRecord.all(session: session, in: connection)
    }
  }

  /// The stacks that were seen while the loop in that row was busy, those that stand for most time first.
  public func profile(loop: Int64) throws -> [ProfiledStack] {
    guard hasSamples else { return [] }
    return try access.read { connection throws(SQLiteFailure) in
      try ProfiledStack.all(loop: loop, in: connection)
    }
  }

  /// Stores of version 1 have none, nor anything that belongs to them.
  private var hasSamples: Bool { access.version >= 2 }
}
