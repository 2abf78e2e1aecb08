import StallwatchCore
import StallwatchLibc

/// What the monitor needs of an operating system; one file a platform. Any thread may call it.
protocol PlatformFacts {
  /// The monotonic clock. No system call; safe on a watched thread.
  static func now() -> Nanoseconds
  /// Whether the kernel derives the monotonic clock from the processor's counter, as ``stallwatch_counter()`` reads it.
  static func keepsTimeByCounter() -> Bool
  /// The wall clock, in nanoseconds since 1970-01-01 UTC.
  static func wallClock() -> UInt64
  /// How far the clock that keeps counting while the machine sleeps is ahead of the monotonic one.
  static func sleepOffset() -> Nanoseconds
  /// CPU time of the calling thread.
  static func threadCPU() -> Nanoseconds
  /// The CPU time of the process so far: a system call that takes longer the more threads there are.
  static func processCPU() -> Nanoseconds
  /// How long the machine's processors were idle so far, all added up, to ten milliseconds or so; nil where unknown. A
  /// file is opened for it.
  static func idleTime() -> Nanoseconds?
  /// CPU time of a thread of this process; nil where there is no such thread or the system does not say.
  static func cpu(ofThread threadID: UInt64) -> Nanoseconds?
  /// A thread's own name; nil if it has none.
  static func name(ofThread threadID: UInt64) -> String?
  /// The name that unnamed threads carry; nil where they carry none.
  static func programName() -> String?
  /// The build-id of the program's own file, as in ``ImageRecord``; nil where it has none or the system does not say.
  static func programBuildID() -> String?
  /// Whether threads that serve Dispatch's global queues have the name, and threads that these make.
  static func isNameOfWorker(_ name: String) -> Bool
}

extension PlatformFacts {
  /// How many processors the machine has; at least 1.
  static var processors: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }
}
