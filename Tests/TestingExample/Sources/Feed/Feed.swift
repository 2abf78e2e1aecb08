import Foundation

/// Something that loads slowly.
public enum Feed {
  /// Sleeps for 400 ms.
  @inline(never) @_optimize(none) public static func loadSlowly() { usleep(400_000) }

  /// Computes for 400 ms.
  @inline(never) @_optimize(none) public static func parseSlowly() {
    let end = ContinuousClock.now + .milliseconds(400)
    var sum = 0
    while ContinuousClock.now < end { sum &+= 1 }
    precondition(sum > 0)
  }

  /// Sleeps for an hour.
  @inline(never) @_optimize(none) public static func loadForever() { sleep(3_600) }

  /// Sleeps for 2 ms.
  @inline(never) @_optimize(none) public static func loadQuickly() { usleep(2_000) }
}
