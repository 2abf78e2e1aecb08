import StallwatchCore

/// What the monitor needs of an operating system. One file a platform.
protocol PlatformFacts {
  /// The monotonic clock. No system call; safe on a watched thread.
  static func now() -> Nanoseconds
  /// Whether the kernel makes the monotonic clock from the processor's counter, as ``stallwatch_counter()`` reads it.
  static func keepsTimeByCounter() -> Bool
  /// Wall clock, in nanoseconds since 1970-01-01 UTC.
  static func wallClock() -> UInt64
  /// By how much the clock that goes on during a machine's sleep is ahead of the monotonic one.
  static func sleepOffset() -> Nanoseconds
  /// CPU time of the calling thread.
  static func threadCPU() -> Nanoseconds
  /// CPU time of a thread of this process; nil where there is no such thread or the system does not tell.
  static func cpu(ofThread threadID: UInt64) -> Nanoseconds?
  /// For how long the calling thread was runnable without getting a processor, since it began; nil where unknown.
  static func threadRunDelay() -> Nanoseconds?
  /// A thread's name, if it has one of its own.
  static func name(ofThread threadID: UInt64) -> String?
  /// The name that a thread has when nobody named it.
  static func programName() -> String?
}
