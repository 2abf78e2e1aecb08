/// Rows of one table, packed as they are sent.
package struct SpooledBatch: Sendable, Equatable {
  /// The later in this list, the sooner it is dropped where room is short.
  package enum Priority: Int, Sendable, CaseIterable {
    /// Sessions, hours, timers, names of causes.
    case figures
    /// Stalls one by one.
    case stalls
    /// Stacks.
    case stacks
  }

  /// Its number in the spool, in the order in which batches came; 0 before it is there. Never used again.
  package var id: Int64 = 0
  package var table: String
  package var columns: [String]
  package var priority: Priority
  /// How many rows it has.
  package var rows: UInt64
  /// The rows, encoded and compressed.
  package var body: [UInt8]
  /// How many bytes the body has, also where ``body`` was dropped.
  package let bodyBytes: Int
  /// When it was made, nanoseconds since 1970.
  package var made: UInt64
  /// How many rows it has of each session, which are counted as missing where it cannot be sent.
  package var sessions: [UInt64: UInt64]

  package init(
    table: String, columns: [String], priority: Priority, rows: UInt64, body: [UInt8], made: UInt64,
    sessions: [UInt64: UInt64]
  ) {
    self.table = table
    self.columns = columns
    self.priority = priority
    self.rows = rows
    self.body = body
    bodyBytes = body.count
    self.made = made
    self.sessions = sessions
  }

  /// The bytes that a batch takes in the spool besides its body: its row, and the part of a page that stays empty.
  static let overhead = 4_096

  /// The bytes that it takes in the spool.
  package var size: Int { bodyBytes + Self.overhead }
}

/// What waits in the spool.
package struct SpoolState: Sendable, Equatable {
  /// Batches that wait to be sent, and the bytes that they take.
  package var waiting: UInt64 = 0
  package var waitingBytes = 0
  /// Batches that the destination will never take.
  package var rejected: UInt64 = 0
  package var rejectedBytes = 0
  /// When the oldest waiting batch was made, nanoseconds since 1970; nil where none waits.
  package var oldest: UInt64?

  /// The bytes that all batches take.
  package var bytes: Int { waitingBytes + rejectedBytes }

  package init() {}
}
