import StallwatchCore

/// What a look at a followed thread found.
package struct FollowingLook {
  /// What a thread that was asked at an earlier look has answered since.
  package var answered: CapturedStack?
  /// Where it stands if it is blocked; or a look without a stack, where it could not be asked, or does not answer.
  package var standing: CapturedStack?
  /// Its clock at the look, where that was read.
  package var reading: ThreadReading?

  /// The later of both.
  package var last: CapturedStack? { standing ?? answered }
  /// Both, in the order of time.
  package var all: [CapturedStack] { [answered, standing].compactMap(\.self) }
}
