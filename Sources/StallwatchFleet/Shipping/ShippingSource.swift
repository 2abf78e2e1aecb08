import StallwatchCore
import StallwatchStore

/// A store as `ship` reads it: as it was at one moment.
package protocol ShippingSource {
  /// The sessions.
  func sessions() throws -> [ShippingSession]

  /// When the first stall began whose number is above `number`, nanoseconds since 1970; nil without one.
  func firstStall(of session: ShippingSession, after number: UInt64) throws -> UInt64?

  /// Passes on what is to be sent of a session: hour by hour from `hour` on, seconds since 1970, those of its stalls that
  /// are over and that `isNew` wants, in the order of their start, and what else belongs to the hour; at last what is so of
  /// the whole session. Returns the first hour that may still change. Throws what reading and `body` throw.
  ///
  /// - Parameter isNew: Is asked with the stall's number, and with when it began, nanoseconds since 1970.
  func forEachPart(
    of session: ShippingSession, from hour: UInt32, isNew: @escaping (_ number: UInt64, _ began: UInt64) -> Bool,
    _ body: @escaping (ShippingPart) throws -> Void
  ) throws -> UInt32
}

/// What comes of a session, in order.
package enum ShippingPart {
  /// A row.
  case row(any FleetRow)
  /// Everything of the hours up to the one that begins then, seconds since 1970, was passed on, itself included.
  case endOfHour(UInt32)
}

/// A session of a store, with what decides whether there is something new.
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
  /// The stalls whose end the store does not have: they go on, or nobody has taken over since their process died.
  package var open: [ShippingCheckpoint.Open]
  /// The highest number of a stall.
  package var highestStall: UInt64
  /// How many stalls the store has removed.
  package var removedStalls: UInt64

  package init(
    key: UInt64, row: Int64, lastSeen: Nanoseconds, lastSeenAt: UInt64, isRunning: Bool, sign: String,
    open: [ShippingCheckpoint.Open], highestStall: UInt64, removedStalls: UInt64
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
  }
}

/// Hours of the wall clock.
package enum WallHour {
  /// In seconds.
  package static let length: UInt32 = 3_600
  /// For how many hours a lane may rest, and yet what it did in them become known only when it wakes.
  package static let mostRest: UInt32 = 6

  /// The start of the hour of a moment, both since 1970: the moment in nanoseconds, the hour in seconds.
  package static func start(of moment: UInt64) -> UInt32 {
    UInt32(clamping: moment / Nanoseconds.second / UInt64(length) * UInt64(length))
  }
}
