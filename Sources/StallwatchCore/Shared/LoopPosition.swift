/// Where a loop stood when the watchdog looked at it.
package struct LoopPosition: Equatable, Sendable {
  /// When the current span began; nil while the loop waits, is outside any run, or is nested too deep to observe.
  package var spanStart: Nanoseconds?
  /// The mode's place in the loop's table, from 0.
  package var mode: Int
  /// How many runs are active, one inside the other; 0 outside any run.
  package var depth: Int
  /// The current phase.
  package var phase: Phase

  /// Sets every property as given; checks nothing.
  package init(spanStart: Nanoseconds?, mode: Int, depth: Int, phase: Phase) {
    self.spanStart = spanStart
    self.mode = mode
    self.depth = depth
    self.phase = phase
  }

  /// Whether no run is active.
  package var isOutside: Bool { depth == 0 }
  /// Whether the innermost run waits.
  package var isWaiting: Bool { spanStart == nil && !isOutside && phase == .waiting }
}
