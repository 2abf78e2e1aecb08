import StallwatchCore

/// How a session ended, as far as the store and the process table show.
package enum SessionEnd: String, Sendable {
  /// The monitor was stopped, or the program ended in order.
  case clean
  /// The process died without closing its session.
  case killed
  /// The process still lives.
  case running
}

/// A session in a store.
package struct StoredSession: Sendable {
  /// The session's row.
  package var id: Int64
  /// Its process, command line, start and threshold.
  package var record: SessionRecord
  /// How it ended.
  package var ended: SessionEnd
  /// The program's exit status, if `record` saw it (128 + n for signal n); otherwise nil.
  package var exitStatus: Int32?
  /// When the monitor last gave a sign of life, on the monotonic clock.
  package var lastSeenNs: Nanoseconds
  /// How much of its beginning a filter by time left out. The record's start is that of the rest.
  package var leftOut: Nanoseconds = 0

  /// The time from the start to the last sign of life.
  package var duration: Nanoseconds { lastSeenNs.since(record.startedNs) }

  /// Sets every property as given; checks nothing.
  package init(id: Int64, record: SessionRecord, ended: SessionEnd, exitStatus: Int32?, lastSeenNs: Nanoseconds) {
    self.id = id
    self.record = record
    self.ended = ended
    self.exitStatus = exitStatus
    self.lastSeenNs = lastSeenNs
  }
}
