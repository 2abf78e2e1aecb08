import CoreFoundation

/// A way of noticing that a loop is held. Moments are nanoseconds of the monotonic clock.
public protocol Technique: AnyObject {
  /// What it is called in the tables.
  static var name: String { get }
  /// The bound beyond which it reports a stall, as its description says.
  static var usualThreshold: UInt64 { get }
  /// Begins to watch the main loop. To be called on the main thread, once; a technique lives as long as the process.
  init(threshold: UInt64, report: @escaping @Sendable (Sighting) -> Void)
}

/// What a technique says of a stall.
public struct Sighting: Sendable {
  /// When the stall began, as far as the technique knows.
  public var started: UInt64
  /// When it was over; nil while it goes on.
  public var ended: UInt64?
  /// When the technique said so.
  public var reported: UInt64
}

/// All of them.
public var techniques: [any Technique.Type] {
  [
    PingTechnique.self, SemaphoreTechnique.self, WakeToWaitTechnique.self, ActivityToActivityTechnique.self,
    FrameTickTechnique.self,
  ]
}

/// The monotonic clock, in which the workload writes its truth.
func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The wall clock, which some techniques measure by.
func wallNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
