import StallwatchCore

/// How a session ended, as far as the store and the process table tell.
public enum SessionEnd: String, Sendable {
  /// The monitor was stopped or the program ended in order.
  case clean
  /// The process is gone without having said so.
  case killed
  /// The process still lives.
  case running
}

/// A session as a store holds it.
public struct StoredSession: Sendable {
  /// Its row.
  public var id: Int64
  /// Which process, its command line, start and threshold.
  public var record: SessionRecord
  /// How it ended.
  public var ended: SessionEnd
  /// The program's exit status where `record` saw it (128 + n for a signal), or nil.
  public var exitStatus: Int32?
  /// The last moment at which the monitor was known to be alive, monotonic.
  public var lastSeenNs: Nanoseconds

  /// From the start to the last sign of life.
  public var duration: Nanoseconds { lastSeenNs.since(record.startedNs) }

  /// A stored session.
  public init(id: Int64, record: SessionRecord, ended: SessionEnd, exitStatus: Int32?, lastSeenNs: Nanoseconds) {
    self.id = id
    self.record = record
    self.ended = ended
    self.exitStatus = exitStatus
    self.lastSeenNs = lastSeenNs
  }
}
