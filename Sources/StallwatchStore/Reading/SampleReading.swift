import StallwatchCore

/// Reads stalls' samples, one stall at a time. It compiles its statements once and keeps the stacks seen lately.
final class SampleReading {
  private let samples: Statement
  private let stack: Statement
  /// By row. Stalls share most of their stacks; 4,096 take 2 MB, or 32 MB at the greatest depth allowed.
  private var known = RecentlyUsed<Int64, [UInt64]>(capacity: 4_096)

  /// For a connection to a store of version 2 or later.
  init(_ connection: Connection) throws(SQLiteFailure) {
    samples = try connection.prepare(
      """
      SELECT at_ns, weight_ns, activity, stack, \(BlockedOn.columns)
      FROM samples WHERE stall = ?1 ORDER BY number
      """)
    stack = try connection.prepare("SELECT frames FROM stacks WHERE id = ?1")
  }

  /// The samples of the stall in row `stall`, in order of time.
  func samples(of stall: Int64) throws(SQLiteFailure) -> [StackSample] {
    samples.bind(stall, at: 1)
    defer { samples.reset() }
    var found: [StackSample] = []
    while try samples.step() {
      guard found.count < SampleLimits.mostSamples else { throw .badContents("stall \(stall) has too many samples") }
      found.append(try sample(samples.row))
    }
    return found
  }

  private func sample(_ columns: Row) throws(SQLiteFailure) -> StackSample {
    var row = columns
    let atNs: Nanoseconds = try row.number()
    guard let weight = try row.sampledTimeIfAny() else { throw .badContents("a sample has no weight") }
    let activity: ThreadActivity = try row.word()
    let frames = try frames(ofStack: try row.number())
    return StackSample(atNs: atNs, weight: weight, activity: activity, frames: frames, blockedOn: try blockedOn(&row))
  }

  private func blockedOn(_ row: inout Row) throws(SQLiteFailure) -> BlockedOn? {
    guard var found = try BlockedOn.read(from: &row) else { return nil }
    if let stack = found.ownerStack { found.blockedOn.owner?.frames = try frames(ofStack: stack) }
    return found.blockedOn
  }

  /// The frames of the stack in row `id`, leaf first.
  func frames(ofStack id: Int64) throws(SQLiteFailure) -> [UInt64] {
    if let frames = known.value(of: id) { return frames }
    stack.bind(id, at: 1)
    defer { stack.reset() }
    guard try stack.step() else { throw .badContents("stack \(id) is missing") }
    var row = stack.row
    let frames = try row.stack()
    known.insert(frames, of: id)
    return frames
  }
}

extension Row {
  /// Reads a stack's frames, leaf first.
  mutating func stack() throws(SQLiteFailure) -> [UInt64] {
    let frames = try bytesIfAny { bytes throws(SQLiteFailure) in try StackEncoding.decode(bytes) }
    guard let frames else { throw .badContents("a stack's frames are missing") }
    return frames
  }
}
