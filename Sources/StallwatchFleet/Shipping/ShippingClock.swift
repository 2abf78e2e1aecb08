import StallwatchCore

/// The time as `ship` knows it, which tests make up.
package protocol ShippingClock: AnyObject {
  /// A clock that never goes back, in nanoseconds.
  var now: Nanoseconds { get }
  /// Nanoseconds since 1970.
  var wall: UInt64 { get }
  /// Whether to stop: somebody asked for it.
  var isStopped: Bool { get }
  /// A random number from 0 to 1.
  var chance: Double { get }
  /// Waits until `moment` of ``now``, or until somebody asks to stop.
  func wait(until moment: Nanoseconds)
}
