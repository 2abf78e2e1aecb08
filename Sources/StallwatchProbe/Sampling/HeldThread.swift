import StallwatchCore

/// A thread that is held, or may be: in a span, or away from its loop.
struct HeldThread {
  let loop: LoopID
  let threadID: UInt64
  /// Since when.
  let startedNs: Nanoseconds
  /// Its stall; nil before the threshold.
  let stall: StallBegan?
  /// Whether it is still the same hold.
  let goesOn: () -> Bool
}
