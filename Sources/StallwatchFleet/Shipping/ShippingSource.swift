import StallwatchCore
import StallwatchStore

/// A store as `ship` reads it: as it was at one moment.
package protocol ShippingSource {
  /// The sessions.
  func sessions() throws -> [ShippingSession]

  /// When the first stall with a number above `number` began, nanoseconds since 1970; nil without one.
  func firstStall(of session: ShippingSession, after number: UInt64) throws -> UInt64?

  /// Passes the rows of a session to `body`: hour by hour from `hour` on, in seconds since 1970, first the stalls that
  /// are over and that `isNew` accepts, in the order of their start, then the hour's other rows; at the end the rows
  /// about the whole session. Returns the first hour that may still change. Throws what reading and `body` throw.
  ///
  /// - Parameter isNew: Whether to pass on a stall, by its number and its start, nanoseconds since 1970.
  func forEachPart(
    of session: ShippingSession, from hour: UInt32, isNew: @escaping (_ number: UInt64, _ began: UInt64) -> Bool,
    _ body: @escaping (ShippingPart) throws -> Void
  ) throws -> UInt32
}

/// A step in reading a session.
package enum ShippingPart {
  /// A row.
  case row(any FleetRow)
  /// All hours up to and including the one that begins at this time, seconds since 1970, were passed on in full.
  case endOfHour(UInt32)
}

/// A session of a store, with all that decides whether it has something new.
package struct ShippingSession: Sendable {
  /// Its number in rows.
  package var key: UInt64
  /// Its row in the store.
  package var row: Int64
  /// Its last sign of life, on its own clock and on the wall clock, in nanoseconds.
  package var lastSeen: Nanoseconds
  package var lastSeenAt: UInt64
  package var isRunning: Bool
  /// Changes with its figures.
  package var sign: String
  /// The stalls without an end in the store: they go on, or their process died and nobody has taken over its session
  /// yet.
  package var open: [ShippingCheckpoint.Open]
  /// The highest number of a stall that the store has, or is known to have had.
  package var highestStall: UInt64
  /// How many stalls the store has removed.
  package var removedStalls: UInt64
  /// The first hour, seconds since 1970, of which the store has removed nothing that rows are made of.
  package var wholeFrom: UInt32

  package init(
    key: UInt64, row: Int64, lastSeen: Nanoseconds, lastSeenAt: UInt64, isRunning: Bool, sign: String,
    open: [ShippingCheckpoint.Open], highestStall: UInt64, removedStalls: UInt64, wholeFrom: UInt32 = 0
  ) {
    self.key = key
    self.row = row
    self.lastSeen = lastSeen
    self.lastSeenAt = lastSeenAt
    self.isRunning = isRunning
    self.sign = sign
    self.open = open
    self.highestStall = highestStall
    self.removedStalls = removedStalls
    self.wholeFrom = wholeFrom
  }
}

/// Hours of the wall clock.
package enum WallHour {
  /// In seconds.
  package static let length: UInt32 = 3_600
  /// How many hours of a lane's rest may become known only when it wakes.
  package static let mostRest: UInt32 = 6

  /// The start of the hour of a moment, both since 1970: the moment in nanoseconds, the hour in seconds.
  package static func start(of moment: UInt64) -> UInt32 {
    UInt32(clamping: moment / Nanoseconds.second / UInt64(length) * UInt64(length))
  }
}
