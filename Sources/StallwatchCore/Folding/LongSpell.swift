/// A duration of at least the threshold, set aside by the fold for the watchdog, who alone can tell whether the process
/// ran at all during it.
public struct LongSpell: Equatable, Sendable {
  /// What lasted so long.
  public enum Kind: UInt8, Sendable {
    /// A phase: one sample of its metric.
    case phase
    /// A gap: one sample of that metric.
    case gap
    /// A span: one sample of that metric, and a stall.
    case span
    /// A busy run without such a span: congestion. Not a sample: its spans have been counted.
    case busyRun
    /// Time in a mode that was not yet observed, charged to no phase.
    case blind
    /// Time between two runs: an away, if something was due meanwhile. Not a sample.
    case outside
  }

  /// What lasted so long.
  public var kind: Kind
  /// The phase; for a span the one that took the greater part of it.
  public var phase: Phase
  /// How many runs were active.
  public var depth: UInt8
  /// The mode's place in the loop's table.
  public var mode: UInt16
  /// When it began.
  public var start: Nanoseconds
  /// When it ended.
  public var end: Nanoseconds
  /// How much of the time between was its own: less than the difference where runs nested in it, or waits, lie between.
  public var own: Nanoseconds

  /// A long duration.
  public init(
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
