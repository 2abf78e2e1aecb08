import StallwatchCore

/// The stalls that one thing caused.
public struct SignatureReport: Sendable {
  /// What held the loops.
  public var signature: Signature
  /// How many stalls, congestion among them, cancelled ones not.
  public var count: Int
  /// Their summed duration.
  public var total: Nanoseconds
  /// The longest.
  public var worst: Nanoseconds
  /// The longest one's row: what `show` takes.
  public var worstStall: Int64
  /// How their watched time divides, added up; nil where that is known of none.
  public var cause: StallCause?
}
