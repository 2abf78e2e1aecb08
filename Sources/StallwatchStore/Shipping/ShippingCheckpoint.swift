/// How far a session has been put into the spool. Everything after that is read from its store again.
///
/// A session is read in the order of time. A reading may be broken off, when the spool is full or by a kill at any
/// moment, and the next one continues there. Stalls are numbered when they become known, which is another order.
package struct ShippingCheckpoint: Sendable, Equatable {
  /// A stall that was not over yet.
  package struct Open: Sendable, Equatable {
    /// Its number in its session.
    package var number: UInt64
    /// The hour in which it began, seconds since 1970.
    package var hour: UInt32

    package init(number: UInt64, hour: UInt32) { (self.number, self.hour) = (number, hour) }
  }

  /// The session's number in rows.
  package var session: UInt64
  /// The store in which it was seen last.
  package var store: String
  /// Stalls up to this number are in the spool or were sent, except for ``open``.
  package var stall: UInt64 = 0
  /// How far a reading came that was broken off: stalls up to this number that began before this moment, nanoseconds
  /// since 1970, are in the spool or were sent as well. The number is the highest that the store had then.
  package var readingStall: UInt64 = 0
  package var readingMoment: UInt64 = 0
  /// How many stalls above ``stall`` were taken by readings that were broken off.
  package var readingTaken: UInt64 = 0
  /// Those of all these stalls that were not over.
  package var open: [Open] = []
  /// Hours before this one, seconds since 1970, are final.
  package var hour: UInt32 = 0
  /// Whether the session was over when its hours were made.
  package var isFinal = false
  /// The session's own figures when its hours were last made: while they do not change, nothing is new.
  package var sign = ""
  /// The session's last sign of life at that time, on its own clock: a copy of its store that ends earlier is old.
  package var lastSeen: UInt64 = 0
  /// The highest number of a stall that was seen in the store.
  package var seen: UInt64 = 0
  /// How many of its stalls the store had removed when it was last seen.
  package var removed: UInt64 = 0

  /// The checkpoint of a session before anything of it was sent.
  package init(session: UInt64, store: String) { (self.session, self.store) = (session, store) }

  /// Whether a stall that is over still has to be put into the spool, by its number and its start, nanoseconds since
  /// 1970.
  package func isNew(_ number: UInt64, began: UInt64) -> Bool {
    if number > max(stall, readingStall) { return true }
    if number > stall, began >= readingMoment { return true }
    return open.contains { $0.number == number }
  }
}
