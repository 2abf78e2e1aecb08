import StallwatchCore

/// The clock of `ship`; tests have their own.
package protocol ShippingClock: AnyObject {
  /// A clock that never goes back, in nanoseconds.
  var now: Nanoseconds { get }
  /// Nanoseconds since 1970.
  var wall: UInt64 { get }
  /// Whether somebody asked to stop.
  var isStopped: Bool { get }
  /// A random number from 0 to 1.
  var chance: Double { get }
  /// Waits until `moment` of ``now``, or until somebody asks to stop.
  func wait(until moment: Nanoseconds)
}
