/// How far a session has been put into the spool: what comes later is made again from its store.
///
/// A session is read in the order of time, and a reading may be broken off: when the spool is full, or at any moment by
/// a kill. The next goes on where it was. Stalls get their numbers when they become known, which is another order.
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
  /// Stalls up to this number are in the spool or were sent, but for ``open``.
  package var stall: UInt64 = 0
  /// The highest number that the store had for the reading that was broken off, and how far it came: stalls up to this
  /// number that began before the moment, nanoseconds since 1970, are in the spool or were sent, too.
  package var readingStall: UInt64 = 0
  package var readingMoment: UInt64 = 0
  /// How many stalls above ``stall`` the readings that were broken off have taken.
  package var readingTaken: UInt64 = 0
  /// Of all these, the ones that were not over.
  package var open: [Open] = []
  /// Hours before this one, seconds since 1970, hold for good.
  package var hour: UInt32 = 0
  /// Whether its hours were made, or are being made, of a session that is over.
  package var isFinal = false
  /// What the session's own figures were when its hours were made last: while they stay, nothing is new.
  package var sign = ""
  /// The session's last sign of life at that time, on its own clock: a copy of its store that ends earlier is old.
  package var lastSeen: UInt64 = 0
  /// The highest stall that the store was seen to have.
  package var seen: UInt64 = 0
  /// How many of its stalls the store was seen to have removed.
  package var removed: UInt64 = 0

  /// The checkpoint of a session of which nothing was sent.
  package init(session: UInt64, store: String) { (self.session, self.store) = (session, store) }

  /// Whether a stall that is over has still to be put into the spool: its number, and when it began, nanoseconds since
  /// 1970.
  package func isNew(_ number: UInt64, began: UInt64) -> Bool {
    if number > max(stall, readingStall) { return true }
    if number > stall, began >= readingMoment { return true }
    return open.contains { $0.number == number }
  }
}
