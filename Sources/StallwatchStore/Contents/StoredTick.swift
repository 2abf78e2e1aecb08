import StallwatchCore

/// A tick of the drift probe that has a row of its own.
package struct StoredTick: Sendable, Equatable {
  /// The row of its loop.
  package var loop: Int64
  /// The tick itself; `tick.loop` is not set here.
  package var tick: DriftTick
  /// The part of its lateness in which the control was late, too; nil for a tick of an older version, which is in no
  /// window.
  package var machine: Nanoseconds?

  /// Sets every property as given; checks nothing.
  package init(loop: Int64, tick: DriftTick, machine: Nanoseconds? = nil) {
    (self.loop, self.tick, self.machine) = (loop, tick, machine)
  }
}
