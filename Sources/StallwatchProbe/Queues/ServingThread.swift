import StallwatchCore

/// A thread that serves what an item waits for. Used on the watchdog's thread only.
struct ServingThread {
  /// The kernel's number; 0: not known.
  var id: UInt64
  /// Where its control block lies; 0: not known.
  var pointer: UInt64
  /// Whether it still serves the same.
  var goesOn: () -> Bool
}
