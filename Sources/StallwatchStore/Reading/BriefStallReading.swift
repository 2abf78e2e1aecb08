import StallwatchCore

/// Reads sampled stalls one by one from a query with a row for each sample (``StallQueries/brief``).
struct BriefStallReading {
  private let statement: Statement
  private let endings: [Int64: SessionEnding]
  /// Of the row before: most stalls are of the same session.
  private var lastEnding: (session: Int64, ending: SessionEnding)?
  /// The stall whose first row was read already.
  private var pending: (stall: BriefStall, sample: BriefSample)?
  private var isOver = false

  init(_ statement: Statement, endings: [Int64: SessionEnding]) {
    self.statement = statement
    self.endings = endings
  }

  /// The next stall with its samples in order of time; nil after the last. `path` is the store's, for errors.
  mutating func next(in path: String) throws(StoreError) -> (BriefStall, [BriefSample])? {
    do throws(SQLiteFailure) { return try next() } catch { throw error.storeError(path: path) }
  }

  private mutating func next() throws(SQLiteFailure) -> (BriefStall, [BriefSample])? {
    if pending == nil, !isOver { pending = try read(after: nil) }
    guard let (stall, first) = pending else { return nil }
    var samples = [first]
    while true {
      pending = try read(after: stall)
      guard let sample = pending?.sample, pending?.stall.id == stall.id else { return (stall, samples) }
      guard samples.count < SampleLimits.mostSamples else {
        throw .badContents("stall \(stall.id) has too many samples")
      }
      samples.append(sample)
    }
  }

  /// Lets go of the store's rows.
  func end() { statement.reset() }

  /// Reads a row. Takes over what it has of the stall from `last` where it is the same.
  private mutating func read(after last: BriefStall?) throws(SQLiteFailure) -> (BriefStall, BriefSample)? {
    guard !isOver, try statement.step() else {
      isOver = true
      return nil
    }
    var row = statement.row
    let id = try row.rowNumber()
    if let last, last.id == id {
      row.skip(7)
      return (last, try BriefSample(&row))
    }
    let session = try row.rowNumber()
    let stored: StallState = try row.word()
    let startedNs: Nanoseconds = try row.number()
    let duration: Nanoseconds? = try row.numberIfAny()
    let cause = try StallCause(&row)
    let ending = try ending(of: session, stall: id)
    let stall = BriefStall(
      id: id, session: session, state: ending.state(of: stored).state, startedNs: startedNs,
      duration: ending.duration(duration, of: stored, from: startedNs), cause: cause)
    return (stall, try BriefSample(&row))
  }

  private mutating func ending(of session: Int64, stall: Int64) throws(SQLiteFailure) -> SessionEnding {
    if let lastEnding, lastEnding.session == session { return lastEnding.ending }
    guard let ending = endings[session] else { throw .badContents("stall \(stall) belongs to no session") }
    lastEnding = (session, ending)
    return ending
  }
}

extension BriefSample {
  /// Reads the weight, the activity, the stack and what the thread was blocked on.
  init(_ row: inout Row) throws(SQLiteFailure) {
    guard let weight = try row.sampledTimeIfAny() else { throw .badContents("a sample has no weight") }
    let activity: ThreadActivity = try row.word()
    let stack: Int64 = try row.number()
    let blocked = try BlockedOn.read(from: &row)
    self.init(
      look: BriefSample.Look(
        activity: activity, stack: stack, blockedOn: blocked?.blockedOn, ownerStack: blocked?.ownerStack),
      weight: weight)
  }
}
