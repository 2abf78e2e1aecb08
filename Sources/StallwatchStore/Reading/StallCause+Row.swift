import StallwatchCore

extension StallCause {
  /// The columns that ``init(_:)`` reads, for a store of `version`.
  static func columns(version: Int) -> String {
    version < 2
      ? "NULL AS running_ns, NULL AS blocked_ns, NULL AS starved_ns" : "running_ns, blocked_ns, starved_ns"
  }

  /// Reads the next three columns; nil when all are NULL.
  init?(_ row: inout Row) throws(SQLiteFailure) {
    let running = try row.sampledTimeIfAny()
    let blocked = try row.sampledTimeIfAny()
    let starved = try row.sampledTimeIfAny()
    if running == nil, blocked == nil, starved == nil { return nil }
    guard let running, let blocked, let starved else { throw .badContents("a part of a stall's cause is missing") }
    self.init(running: running, blocked: blocked, starved: starved)
  }
}

extension Row {
  /// A time in nanoseconds, of at most ``SampleLimits/longestTime``; nil for NULL.
  mutating func sampledTimeIfAny() throws(SQLiteFailure) -> Nanoseconds? {
    let time: Nanoseconds? = try numberIfAny()
    if let time, time > SampleLimits.longestTime { throw .badContents("a sample's time is out of range: \(time)") }
    return time
  }
}
