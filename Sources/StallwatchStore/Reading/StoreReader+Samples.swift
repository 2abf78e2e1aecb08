import StallwatchCore

extension StoreReader {
  /// The samples of the stall in row `stall`, in order of time; empty if it was not sampled or does not exist.
  package func samples(stall: Int64) throws -> [StackSample] {
    guard hasSamples else { return [] }
    return try access.read { _ throws(SQLiteFailure) in try access.sampleReading().samples(of: stall) }
  }

  /// How the watched time of the stall in row `stall` divides; nil if that is unknown or the stall does not exist.
  package func cause(stall: Int64) throws -> StallCause? {
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

  /// Calls `body` for every sampled stall with all its samples, session by session, in order of their start. Holds one
  /// stall at a time, and the stacks that the last few shared. Also throws what `body` throws.
  package func forEachSampledStall(_ body: (StoredStall, [StackSample]) throws -> Void) throws {
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

  /// The same with less of each stall and sample, in a third of the time.
  package func forEachBriefStall(_ body: (BriefStall, [BriefSample]) throws -> Void) throws {
    guard hasSamples else { return }
    var reading = BriefStallReading(try prepare(queries.brief), endings: endings)
    defer { reading.end() }
    while let (stall, samples) = try reading.next(in: access.path) {
      guard admits(stall.state, from: stall.startedNs, lasting: stall.duration, session: stall.session) else {
        continue
      }
      try body(stall, samples)
    }
    try access.checkUndisturbed()
  }

  /// The frames of the stack in row `stack`, leaf first.
  package func frames(stack: Int64) throws -> [UInt64] {
    try access.read { _ throws(SQLiteFailure) in try access.sampleReading().frames(ofStack: stack) }
  }

  /// The images of a session's process, in the order in which they were seen: where two overlap, the later one replaced
  /// the earlier.
  package func images(session: Int64) throws -> [ImageRecord] {
    guard hasSamples else { return [] }
    return try access.read { connection throws(SQLiteFailure) in
      try ImageRecord.all(session: session, in: connection)
    }
  }

  /// The stacks seen while the loop in row `loop` was busy; those that stand for most time come first.
  package func profile(loop: Int64) throws -> [ProfiledStack] {
    guard hasSamples else { return [] }
    return try access.read { connection throws(SQLiteFailure) in
      try ProfiledStack.all(loop: loop, in: connection)
    }
  }

  /// Stores of version 1 have no samples, nor anything that belongs to them.
  private var hasSamples: Bool { access.version >= 2 }
}
