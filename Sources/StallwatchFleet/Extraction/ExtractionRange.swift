import StallwatchCore

/// Which part of a session to read.
///
/// Hours are read whole: a later reading's row of an hour replaces the row of an earlier reading. So a reader of a
/// growing store begins with the first hour that was not over, or in which something may still become known, and never
/// has to subtract.
package struct ExtractionRange: Sendable, Equatable {
  /// The first hour to read, in hours since 1970.
  package var hour: UInt64
  /// Stalls with higher numbers than this are read.
  package var stall: UInt64

  /// From an hour on, and from the stall after a number on.
  package init(hour: UInt64, stall: UInt64) { (self.hour, self.stall) = (hour, stall) }

  /// All of a session.
  package static let everything = ExtractionRange(hour: 0, stall: 0)

  /// How many hours of a lane's rest are still read once it wakes. Earlier hours of a longer rest need a reading of
  /// everything, which should follow once the session is over.
  package static let mostRest: UInt64 = 6
}
