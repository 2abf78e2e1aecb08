/// A duration of at least the threshold. The fold sets it aside for the watchdog, which alone can tell whether the
/// process ran all the while.
package struct LongSpell: BitwiseCopyable, Equatable, Sendable {
  /// Which kind of duration reached the threshold.
  package enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// A phase: one sample of its metric.
    case phase
    /// A gap: one sample of that metric.
    case gap
    /// A span: one sample of that metric, and a stall.
    case span
    /// A busy run without such a span: congestion. Not a sample: its spans have been counted.
    case busyRun
    /// Time in a mode not yet observed; no phase is charged with it.
    case blind
    /// Time between two runs; an away, if work was due meanwhile. Not a sample.
    case outside
  }

  /// The kind of duration.
  package var kind: Kind
  /// The phase; for a span, the one that took the greater part of it.
  package var phase: Phase
  /// How many runs were active, one inside the other.
  package var depth: UInt8
  /// The mode's place in the loop's table.
  package var mode: UInt16
  /// When it began, on the monotonic clock.
  package var start: Nanoseconds
  /// When it ended, on the monotonic clock.
  package var end: Nanoseconds
  /// How much of that time was its own, in nanoseconds: less than the difference if nested runs, or waits, lie between.
  package var own: Nanoseconds

  /// Sets every property as given; checks nothing.
  package init(
    kind: Kind, phase: Phase, depth: UInt8, mode: UInt16, start: Nanoseconds, end: Nanoseconds, own: Nanoseconds
  ) {
    self.kind = kind
    self.phase = phase
    self.depth = depth
    self.mode = mode
    self.start = start
    self.end = end
    self.own = own
  }
}
