import StallwatchCore

/// The stalls of one signature.
package struct SignatureReport: Sendable {
  package var signature: Signature
  /// Whom the stalls blame: of different blames, the one with the most time.
  package var blame: Blame
  /// The number of stalls, including congestion and excluding cancelled ones.
  package var count: Int
  /// The sum of their durations.
  package var total: Nanoseconds
  /// The longest duration.
  package var worst: Nanoseconds
  /// The row of the longest stall: the ID that `show` takes.
  package var worstStall: Int64
  /// The sum of their causes; nil where no stall has a known cause.
  package var cause: StallCause?
}
