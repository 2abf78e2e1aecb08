import StallwatchCore

/// What of a session is new, and what to read next time.
///
/// Hours come whole: a later reading's row of an hour replaces an earlier one's. So a reader of what grows reads from the
/// hour on that was not over, or in which something may yet become known, and never has to subtract.
package struct ExtractionRange: Sendable, Equatable {
  /// The first hour that is read, in hours since 1970.
  package var hour: UInt64
  /// Stalls with higher numbers are read.
  package var stall: UInt64

  /// From an hour, and behind a stall, on.
  package init(hour: UInt64, stall: UInt64) { (self.hour, self.stall) = (hour, stall) }

  /// All of a session.
  package static let everything = ExtractionRange(hour: 0, stall: 0)

  /// For how many hours a lane may say nothing, and yet its rest be read whole once it wakes. Of one that rests for longer,
  /// what lies before is known to a reading of everything: once the session is over, one should be made.
  package static let mostRest: UInt64 = 6
}
