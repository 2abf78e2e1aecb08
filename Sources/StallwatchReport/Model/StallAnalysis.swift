import StallwatchCore

/// What the samples of a stall say about it.
public struct StallAnalysis: Sendable {
  /// How many samples there are.
  public var sampleCount: Int
  /// What CF was calling; nil where the stacks do not show it.
  public var callout: Callout?
  /// What held the loop; nil where no stack could be read.
  public var signature: Signature?
  /// What the thread was blocked on for the most time; nil where that was less than a tenth of the time.
  public var blockedOn: BlockedOn?
  /// The time that it was blocked on that.
  public var blockedOnTime: Nanoseconds = 0
}
